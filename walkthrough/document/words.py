"""What is said about an example of one's own, in both languages."""

from __future__ import annotations

# The command `example`.
EXAMPLE: dict[str, dict[str, str]] = {
    "ko": {
        "help": "내 토큰과 가중치가 든 예제 파일을 만들고 확인해요",
        "action": "new: 원문의 예제를 설명과 함께 새 파일로 써요, check: 파일에 잘못이 있는지 봐요",
        "file": "예제 파일 (FILE.toml)",
        "exists": "{file}: 이미 있는 파일이에요. 다른 이름을 주세요",
        "unwritable": "{file}: 쓸 수 없어요: {reason.ko}",
        "written": "{file} 파일을 썼어요. 바꾼 다음 이렇게 확인하세요: "
        "walkthrough example check {file}",
        "fine": "{file}: 쓸 수 있는 예제예요",
        "sizes": "크기",
        "tokens": "토큰",
        "generates": "모델이 생성하는 것",
        "prompt": "프롬프트",
        "chosen": "고른 토큰",
        "endless": "{steps}단계 안에 종료 토큰({eos})을 고르지 않아요. 레슨은 거기서 생성을 "
        "멈춰요.",
    },
    "en": {
        "help": "make and check a file with tokens and weights of your own",
        "action": "new: write the text's example with comments to a new file, "
        "check: say whether something is wrong with a file",
        "file": "the example's file (FILE.toml)",
        "exists": "{file}: is there already; give another name",
        "unwritable": "{file}: cannot be written: {reason}",
        "written": "wrote {file}; change it, then: walkthrough example check {file}",
        "fine": "{file}: an example to compute with",
        "sizes": "sizes",
        "tokens": "tokens",
        "generates": "what the model generates",
        "prompt": "prompt",
        "chosen": "chosen",
        "endless": "It does not choose {eos} within {steps} steps. "
        "The lessons stop generating there.",
    },
}

# The sentences of ExampleError, by its kinds.
EXAMPLE_ERRORS: dict[str, dict[str, str]] = {
    "ko": {
        "unreadable": "읽을 수 없어요: {reason.ko}",
        "not a file": "보통 파일이 아니에요 (폴더나 장치, 파이프)",
        "too long": "너무 긴 파일이에요. 예제 파일은 {most:,}바이트까지 쓸 수 있어요",
        "deep": "너무 깊은 키가 있어요. 키는 {most}조각까지 쓸 수 있어요",
        "encoding": "UTF-8 텍스트가 아니에요 (바이트 위치 {position})",
        "syntax": "TOML 문법에 맞지 않아요: {reason}",
        "missing": "빠져 있어요",
        "unknown": "예제 파일에서 쓰지 않는 키예요. 여기에 쓸 수 있는 키: {known}",
        "whole": "1 이상의 정수여야 해요 (지금: {got})",
        "text": "문자열이어야 해요 (지금: {got})",
        "table": "테이블이어야 해요 (지금: {got})",
        "tables": "[[{name}]] 꼴의 테이블 목록이어야 해요 (지금: {got})",
        "tokens": "토큰의 목록이어야 해요 (지금: {got})",
        "numbers": "숫자의 목록이어야 해요 (지금: {got})",
        "rows": "숫자로 된 행의 목록이어야 해요 (지금: {got})",
        "count": "개수가 맞지 않아요. 필요: {expected} ({name}), 지금: {got}",
        "shape": "모양이 맞지 않아요. 필요: {expected} ({names}), 지금: {got}",
        "ragged": "행의 길이가 서로 달라요. 첫 행: {expected}개, {row}번째 행: {got}개",
        "number": "숫자만 쓸 수 있어요. {place}의 값: {got}",
        "finite": "유한한 숫자만 쓸 수 있어요. {place}의 값: {got}",
        "large": "절댓값이 {limit} 이하인 숫자만 쓸 수 있어요. {place}의 값: {got}",
        "empty": "비어 있으면 안 돼요",
        "few": "토큰이 적어도 두 개 있어야 해요 (지금: {got})",
        "duplicate": "같은 토큰이 두 번 나와요: {token} (token {first}, token {second})",
        "alike": "글자는 같고 유니코드 표기만 다른 토큰이 두 번 나와요: {token} (token {first}, "
        "token {second})",
        "unprintable": "인쇄할 수 있는 한 줄짜리 글자여야 해요 (지금: {got})",
        "stranger": "토큰 목록에 없는 토큰이에요: {token} (있는 토큰: {known})",
        "square": "heads · d_k와 d_model이 다르면 꼭 있어야 해요 ({got} ≠ {expected})",
    },
    "en": {
        "unreadable": "cannot be read: {reason}",
        "not a file": "is not an ordinary file (a folder, a device or a pipe)",
        "too long": "is too long: an example has {most:,} bytes at the most",
        "deep": "has too deep a key: a key has {most} parts at the most",
        "encoding": "is not UTF-8 text (byte {position})",
        "syntax": "is not valid TOML: {reason}",
        "missing": "is missing",
        "unknown": "is not a key of an example; known here: {known}",
        "whole": "must be a whole number from 1, got {got}",
        "text": "must be a text, got {got}",
        "table": "must be a table, got {got}",
        "tables": "must be a list of tables, [[{name}]], got {got}",
        "tokens": "must be a list of tokens, got {got}",
        "numbers": "must be a list of numbers, got {got}",
        "rows": "must be a list of rows of numbers, got {got}",
        "count": "expected {expected} ({name}), got {got}",
        "shape": "expected shape {expected} ({names}), got {got}",
        "ragged": "row {row} has {got} numbers, the first row has {expected}",
        "number": "must hold numbers only, got {got} at {place}",
        "finite": "must hold finite numbers, got {got} at {place}",
        "large": "must hold numbers of at most {limit} either way, got {got} at {place}",
        "empty": "must not be empty",
        "few": "must be at least 2 tokens, got {got}",
        "duplicate": "{token} stands twice (token {first} and token {second})",
        "alike": "{token} stands twice, spelled in two ways in Unicode (token {first} and "
        "token {second})",
        "unprintable": "must be one line of printable text, got {got}",
        "stranger": "{token} is not one of the tokens: {known}",
        "square": "is needed where heads · d_k = {got} is not d_model = {expected}",
    },
}

# The comments in the file that `example new` writes.
COMMENTS: dict[str, dict[str, str]] = {
    "ko": {
        "head": "레슨이 계산할 예제예요. 무엇이든 바꾼 다음 이렇게 확인하고 실행하세요:\n"
        "  walkthrough example check {file}\n"
        "  walkthrough run 5 --example {file}",
        "title": "레슨 위에 나오는 제목",
        "prompt": "모델에 처음 넣는 토큰들. 아래 [[token]]에 있는 것만, 몇 번이든 쓸 수 있어요",
        "eos": "모델이 이 토큰을 고르면 생성이 끝나요",
        "sizes": "임베딩의 숫자 개수, 헤드 수, 한 헤드의 쿼리와 키와 값의 숫자 개수",
        "tokens": "모델이 아는 토큰. 두 개 이상, 임베딩은 숫자 d_model개",
        "heads": "헤드마다 하나씩. 행렬은 모두 d_model행 d_k열",
        "output": "출력층",
        "W_O": "(heads · d_k)행 d_model열. heads · d_k = d_model이면 빼도 돼요 (그러면 단위행렬)",
        "W_vocab": "d_model행, 열은 토큰마다 하나. 빼도 돼요 (그러면 임베딩의 전치)",
    },
    "en": {
        "head": "The lessons' example. Change what you like, then check and run it:\n"
        "  walkthrough example check {file}\n"
        "  walkthrough run 5 --example {file}",
        "title": "stands above the lessons",
        "prompt": "the tokens fed first: any of the [[token]]s below, as often as you like",
        "eos": "generation ends when the model chooses this token",
        "sizes": "numbers in an embedding; heads; numbers in a query, key or value of one head",
        "tokens": "The tokens that the model knows: two or more, embeddings of d_model numbers.",
        "heads": "One for each head. All matrices have d_model rows and d_k columns.",
        "output": "The output layer.",
        "W_O": "heads · d_k rows, d_model columns; may be left out if heads · d_k = d_model "
        "(then the identity)",
        "W_vocab": "d_model rows, a column for each token; may be left out "
        "(then the embeddings, transposed)",
    },
}

"""What the audit says, in both languages: its table, and the twelve explanations."""

from __future__ import annotations

# The command `audit`.
AUDIT: dict[str, dict[str, str]] = {
    "ko": {"help": "원문의 숫자를 하나하나 다시 계산해요", "json": "JSON으로 출력해요"},
    "en": {"help": "compute every figure that the text prints", "json": "print JSON"},
}

# The table of figures.
FIGURES: dict[str, dict[str, str]] = {
    "ko": {
        "lesson": "레슨",
        "holds": "맞음",
        "rounds": "반올림하면 맞음",
        "wrong": "틀림",
        "corner": "원문의 절과 값",
        "columns": "원문|계산|판정",
        "why": "원문에서 틀렸거나 정확하지 않거나 빠진 곳 (끝의 숫자는 그것을 다루는 레슨)",
        "summary": "숫자 {all}개: {holds}개는 그대로 맞고, {rounds}개는 반올림하면 맞고, "
        "{wrong}개는 틀려요.",
        "unexpected": "예상과 다른 판정이 {count}개 있어요: {names}",
    },
    "en": {
        "lesson": "lesson",
        "holds": "holds",
        "rounds": "rounds to it",
        "wrong": "wrong",
        "corner": "section, figure",
        "columns": "printed|computed|verdict",
        "why": "Where the text is wrong, loose or silent (and the lesson that shows it)",
        "summary": "{all} figures: {holds} hold, {rounds} round to what is printed, "
        "{wrong} are wrong.",
        "unexpected": "{count} verdicts are not as expected: {names}",
    },
}

# Where the text is wrong, loose or silent, by number; the fields are computed.
WHY: dict[str, dict[int, str]] = {
    "ko": {
        1: "원문의 1.768은 세 토큰을 마스크 없이 본 값이에요 (계산: {three}). 아직 생성되지 않은 "
        "`간다`를 미리 본 셈이에요. 프롬프트의 두 토큰만 보면 첫 열은 모두 {two}, 디코더처럼 인과 "
        "마스크까지 쓰면 첫 행은 [{two}, {causal}]로 나와요.",
        2: "3×3 점수에 마스크가 없어요. 디코더는 대각선보다 오른쪽 위에 있는 {upper}칸을 가려요. "
        "`간다`의 행은 "
        "가리든 안 가리든 같아서 4-2절의 결과는 맞아요.",
        3: "토큰의 쿼리는 그다음 토큰을 고르는 데 쓰여요. 프리필의 마지막 행이 고른 토큰: "
        "{chosen}, 그 토큰의 쿼리가 고른 토큰: {next}",
        4: "헤드는 임베딩의 특징을 나눠 갖지 않아요. 앞의 두 특징만 읽어서는 원문의 Q를 만들 수 "
        "없어요 (열마다 남는 오차 제곱합: {first}, {second}). 나누는 것은 투영한 벡터예요.",
        5: "1 − 1/4096 = {percent}%, 반올림하면 99.97이 아니라 99.98이에요.",
        6: "두 열의 비는 n과 같아요 (n = 2,000일 때 {ratio}배). 기하급수가 아니라 n에 비례해서 "
        "커져요.",
        7: "2·n²·d는 Q·Kᵀ만 센 값이에요. 가중치·V까지 세면 예제에서는 {scores}에서 {both} FLOPs로 "
        "늘고, 캐시가 없으면 앞 토큰들의 Q, K, V 투영도 다시 해야 해요.",
        8: "2,048과 2의 단위는 MB, GB가 아니라 MiB, GiB예요: {mib} MiB = {mb} MB.",
        9: "16.92는 e^(2√2) = {exact}에서 나온 값이에요. e^2.828 = {rounded}, 반올림하면 "
        "16.91이에요.",
        10: "메모리 그림이 빠져 있어요. 레슨에서 슬롯을 하나하나 그려요.",
        11: "토큰 {own}개(., `<EOS>`)의 임베딩, 둘째 헤드, W_O, 출력층은 원문에 없어요. 여기에서 "
        "더한 것은 own이라고 표시해요.",
        12: "모든 모델이 쿼리 헤드만큼 K/V 헤드를 두지는 않아요. LLaMA-2 7B는 토큰당 {all}바이트, "
        "그룹 쿼리 어텐션을 쓰는 Llama-3 8B는 토큰당 {grouped}바이트예요.",
    },
    "en": {
        1: "The prefill output 1.768 is unmasked attention over three tokens ({three}): it has "
        "looked at 간다, which is not generated yet. Over the prompt's two tokens the first "
        "column is {two}, and with the causal mask the first row's second number is {causal}.",
        2: "The 3×3 scores have no mask. A decoder hides the {upper} entries above the diagonal. "
        "The row of 간다 is the same either way, which is why section 4-2 stands.",
        3: "A token's query helps to choose the token after it. The prefill's last row chose "
        "{chosen}; the query of that token chose “{next}”.",
        4: "Heads do not divide the embedding's features among them: reading the first two alone "
        "cannot give the printed Q (what remains, squared: {first} and {second} on its columns). "
        "What is divided is the projected vector.",
        5: "1 − 1/4096 is {percent} %, which rounds to 99.98, not to 99.97.",
        6: "The ratio of the two columns is n ({ratio} at n = 2,000): it grows linearly, not "
        "exponentially.",
        7: "2·n²·d counts Q·Kᵀ alone. With weights·V the example's {scores} FLOPs become {both}, "
        "and without a cache the projections to Q, K and V of earlier tokens are done again "
        "as well.",
        8: "2,048 and 2 are MiB and GiB: {mib} MiB = {mb} MB.",
        9: "16.92 is e^(2√2) = {exact}; e^2.828 is {rounded}, which rounds to 16.91.",
        10: "The picture of the memory is missing; the lesson draws it slot by slot.",
        11: "The text has no embeddings for {own} tokens (. and `<EOS>`), no second head, no W_O "
        "and no output layer. What is added for them here is marked own.",
        12: "Not every model keeps a K/V head for each query head: LLaMA-2 7B takes {all} bytes a "
        "token, Llama-3 8B, with grouped queries, {grouped}.",
    },
}

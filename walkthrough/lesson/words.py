"""What is said about lessons, in both languages. The lessons are files of their own."""

from __future__ import annotations

# The command `list`.
LIST: dict[str, dict[str, str]] = {
    "ko": {"help": "레슨 목록을 보여 줘요"},
    "en": {"help": "list the lessons"},
}

# The command `run`; what keeps a lesson from running is said by `present` and `export`, too.
RUN: dict[str, dict[str, str]] = {
    "ko": {
        "help": "레슨을 실행해요",
        "lesson": "레슨 번호(5)나 이름(05_decode_with_cache), 직접 쓴 레슨 파일(my_lesson.md). "
        "적지 않으면 모두 실행해요",
        "example": "이 파일의 토큰과 가중치로 모두 다시 계산해요",
        "no-text": "원문에 관한 이야기를 빼요",
        "step": "한 대목씩, 긴 것은 화면에 맞게 나누어 보여 줘요. Enter 계속, b 뒤로, q 끝",
        "next": "[Enter] 계속 ",
        "keys": "[Enter] 계속  [b] 뒤로  [q] 끝 ",
        "what-if": "**{title}**: {file} 파일의 예제로 계산해요. 설명하는 글과, 원문을 검산하는 "
        "단계에 나오는 숫자는 원문의 예제 그대로예요. 모델이 종료 토큰({eos})을 고르지 않으면 "
        "생성은 16단계에서 멈춰요.",
        "long": "프롬프트가 {tokens}토큰이에요. 값을 하나하나 보여 주는 레슨은 몇 분이 걸릴 수 "
        "있어요.",
        "model": "이 레슨은 진짜 언어 모델을 돌려요. 먼저 필요한 패키지를 설치하고(`{command}`), "
        "`walkthrough model get`으로 모델(98 MB)을 받아 주세요.",
        "missing": "이 레슨에 필요한데 아직 설치되어 있지 않아요: {packages}. 이렇게 설치하고 "
        "다시 실행하세요: `{command}`. GPU는 없어도 돼요.",
        "code": "레슨 코드에서 오류가 났어요: {reason}",
    },
    "en": {
        "help": "run lessons",
        "lesson": "a lesson's number (5) or name (05_decode_with_cache), or a file of your own "
        "(my_lesson.md); none: all of them",
        "example": "compute everything with the tokens and weights of this file",
        "no-text": "leave out what is said about the text",
        "step": "piece by piece, long ones by pages: Enter goes on, b back, q ends",
        "next": "[Enter] go on ",
        "keys": "[Enter] go on  [b] back  [q] quit ",
        "what-if": "**{title}**: computing with the example in {file}. The prose, and the steps "
        "that check the text, keep the numbers of the text's own example. Where the model never "
        "chooses {eos}, generation ends after 16 steps.",
        "long": "The prompt has {tokens} tokens: lessons that show every value may take minutes.",
        "model": "This lesson runs a real language model. Install what that takes with "
        "`{command}`, and fetch the model (98 MB) with `walkthrough model get`.",
        "missing": "This lesson needs {packages}, which is not installed yet. Install it with "
        "`{command}` and run the lesson again. It takes no GPU.",
        "code": "the lesson's code failed: {reason}",
    },
}

# What is said where a statement is not run, or does not do what the file expects.
RUNNING: dict[str, dict[str, str]] = {
    "ko": {
        "skipped": "(실행하지 않아요: # doctest: +SKIP)",
        "nothing raised": "오류가 나야 하는데 나지 않았어요:",
    },
    "en": {
        "skipped": "(not run: # doctest: +SKIP)",
        "nothing raised": "expected, and not raised:",
    },
}

# What a lesson's file lacks; it is shown all the same.
REMARKS: dict[str, dict[str, str]] = {
    "ko": {
        "no title": "{lesson}: 첫 줄에 `# 제목`이 없어서 파일 이름을 제목으로 써요",
        "no picture": "{lesson}: 그림 파일이 없어요: {picture}",
    },
    "en": {
        "no title": "{lesson}: there is no `# title` in the first line; the file's name is used",
        "no picture": "{lesson}: there is no picture {picture}",
    },
}

# The sentences of LessonError, by its kinds.
LESSON_ERRORS: dict[str, dict[str, str]] = {
    "ko": {
        "lesson": "{lesson!r} 레슨은 없어요. 있는 레슨: {known}",
        "file": "{lesson!r} 파일이 없고, 이런 이름의 레슨도 없어요. 있는 레슨: {known}",
        "encoding": "{lesson}: UTF-8 텍스트가 아니에요 (바이트 위치 {position})",
        "too long": "{lesson}: 너무 긴 레슨이에요. {most:,}바이트까지 읽어요",
        "empty": "{lesson}: 레슨이 비어 있어요",
        "aside": "{lesson}, {line}번째 줄: <!-- about the text -->와 <!-- end -->는 "
        "짝이 맞아야 해요",
        "prompts": "{lesson}, {line}번째 줄: >>> 예제로 읽을 수 없어요: {reason}",
        "nested": "{lesson}, {line}번째 줄: 목록이나 인용 안에 있는 >>> 예제는 실행할 수 없어요. "
        "줄의 맨 앞으로 옮기거나, 보여 주기만 하려면 ```python 대신 ```pycon을 쓰세요",
        "language": "{language!r} 언어의 레슨은 없어요. 있는 언어: {known}",
    },
    "en": {
        "lesson": "there is no lesson {lesson!r}; there are: {known}",
        "file": "there is no file {lesson!r} and no lesson of that name; there are: {known}",
        "encoding": "{lesson}: is not UTF-8 text (at byte {position})",
        "too long": "{lesson}: is too long: a lesson has {most:,} bytes at the most",
        "empty": "{lesson}: the lesson is empty",
        "aside": "{lesson}, line {line}: <!-- about the text --> and <!-- end --> stand in pairs",
        "prompts": "{lesson}, line {line}: cannot be read as >>> examples: {reason}",
        "nested": "{lesson}, line {line}: >>> examples in a list or a quotation cannot be run; put "
        "them at the margin, or write ```pycon for ```python where they are only to be shown",
        "language": "there are no lessons in {language!r}; there are: {known}",
    },
}

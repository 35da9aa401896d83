"""What all commands say, in both languages; what one alone says is in its subject's room."""

from __future__ import annotations

WORDS: dict[str, dict[str, str]] = {
    "ko": {
        "about": "KV 캐시와 PagedAttention을 숫자로 이해하는 실행형 교재예요. "
        "화면에 나오는 숫자는 모두 그 자리에서 계산해요.",
        "lessons": "레슨",
        "start": "이렇게 시작하세요",
        "start.run": "모든 레슨을 차례대로",
        "start.one": "5번 레슨만",
        "start.step": "Enter를 눌러 가며 한 단계씩",
        "start.present": "수업에서 전체 화면으로",
        "start.audit": "원문에 인쇄된 숫자를 하나하나 검산",
        "start.example": "내가 만든 예제로 다시 계산",
        "start.exercise": "연습 문제 시작하기",
        "start.export": "웹 페이지로 (노트북과 유인물도)",
        "start.lang": "영어로 (in English)",
        "help.lang": "언어 (기본값은 시스템 설정에 따라요)",
        "help.plain": "색과 꾸밈 없이 글자만",
        "help.ascii": "ASCII 글자만 써요",
        "help.precision": "소수점 아래 자릿수, 0에서 15까지 (기본 4)",
        "help.width": "화면 너비, 20칸에서 1000칸까지",
        "help.version": "버전을 보여 줘요",
        "help.help": "이 도움말을 보여 줘요",
        "help.positionals": "인자",
        "help.options": "옵션",
        "help.commands": "명령",
        "usage": "사용법: ",
        "whole": "{low}에서 {high} 사이의 정수여야 해요: {value!r}",
        "decimal": "{low}에서 {high} 사이의 수여야 해요: {value!r}",
        "not text": "UTF-8 글이 아닌 인자가 있어요: {argument}",
        "interrupted": "중단했어요.",
        "output": "출력을 쓸 수 없어요: {reason}",
        "error": "오류: ",
    },
    "en": {
        "about": "The KV cache and PagedAttention, understood by numbers. "
        "Every number on the screen is computed as you look.",
        "lessons": "Lessons",
        "start": "How to start",
        "start.run": "all lessons in order",
        "start.one": "lesson 5 alone",
        "start.step": "step by step, with Enter",
        "start.present": "full-screen, in front of a class",
        "start.audit": "every figure of the text, computed again",
        "start.example": "everything again with numbers of your own",
        "start.exercise": "exercises that check themselves",
        "start.export": "as a web page (or a notebook, or a handout)",
        "start.lang": "in Korean (한국어로)",
        "help.lang": "language (default: the system's)",
        "help.plain": "text alone, without colour",
        "help.ascii": "ASCII characters only",
        "help.precision": "digits after the point, 0 to 15 (default 4)",
        "help.width": "width of the screen, 20 to 1000 columns",
        "help.version": "show the version",
        "help.help": "show this help",
        "help.positionals": "arguments",
        "help.options": "options",
        "help.commands": "commands",
        "usage": "usage: ",
        "whole": "must be a whole number from {low} to {high}, not {value!r}",
        "decimal": "must be a number from {low} to {high}, not {value!r}",
        "not text": "an argument is not UTF-8 text: {argument}",
        "interrupted": "Interrupted.",
        "output": "cannot write the output: {reason}",
        "error": "error: ",
    },
}

# What argparse says, as regular expressions, and how it is said here.
ARGPARSE: dict[str, dict[str, str]] = {
    "ko": {
        r"^unrecognized arguments: (.*)$": r"모르는 인자예요: \1",
        r"^argument ([^:]*): ": r"\1: ",
        r"invalid choice: (.*) \(choose from (.*)\)$": r"\1: 쓸 수 없는 값이에요 "
        r"(쓸 수 있는 값: \2)",
        r"expected one argument$": "값을 하나 적어야 해요",
        r"^the following arguments are required: (.*)$": r"빠진 인자가 있어요: \1",
        r"ignored explicit argument (.*)$": r"값을 받지 않아요: \1",
    },
    "en": {},
}

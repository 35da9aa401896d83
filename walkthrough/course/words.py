"""What the course says of itself, in both languages."""

from __future__ import annotations

# The parts of the course, by the number of the lesson that a part begins with.
COURSE_PARTS: dict[int, dict[str, str]] = {
    1: {"ko": "토큰 하나가 나오기까지", "en": "How a token comes about"},
    4: {"ko": "KV 캐시", "en": "The KV cache"},
    7: {"ko": "메모리 속의 캐시", "en": "The cache in memory"},
    9: {"ko": "블록: PagedAttention", "en": "Blocks: PagedAttention"},
    12: {"ko": "블록을 함께 쓰기", "en": "Sharing blocks"},
    15: {"ko": "여러 요청", "en": "Many requests"},
    19: {"ko": "진짜 크기로", "en": "At the size of a real model"},
    23: {"ko": "지금의 엔진", "en": "What engines do today"},
}

COURSE: dict[str, dict[str, str]] = {
    "ko": {
        # the end of a lesson
        "closing": "연습 문제와 다음 레슨",
        "practise": "이 레슨의 연습 문제예요. 한꺼번에 검사할 수 있어요.",
        "practise.one": "이 레슨의 연습 문제예요.",
        "exercise": "`{name}` {title} ({difficulty}, 약 {minutes}분)",
        "following": "다음 레슨: **{number}. {title}** (약 {minutes}분)",
        "last": "마지막 레슨이에요. 지금까지 한 것을 볼 수 있어요.",
        "difficulty.1": "쉬움",
        "difficulty.2": "보통",
        "difficulty.3": "어려움",
        # where a learner is
        "done": "레슨 {read}/{lessons}, 연습 문제 {passed}/{exercises}",
        "next.lesson": "다음은 {number}번 레슨이에요: {title} (약 {minutes}분)",
        "next.exercise": "다음은 연습 문제예요: {title} ({difficulty}, 약 {minutes}분)",
        "all": "레슨을 모두 읽고 연습 문제를 모두 통과했어요. 수고했어요!",
        "no folder": "어디까지 했는지는 연습 문제 폴더에 적어 둬요. 폴더를 만들면 여기서부터 "
        "이어서 할 수 있어요:",
        "damaged": "진행 기록을 읽을 수 없어요. 연습 문제를 한 번 검사하면 다시 만들어요:",
        "legend": "{read} 읽은 레슨  {unread} 남은 레슨  {passed} 통과한 문제  {pending} 남은 문제",
        # a summary for a teacher
        "summary": "학습 기록",
        "summary.name": "이름: {name}",
        "summary.date": "날짜: {date}",
        "column.lesson": "레슨",
        "column.read": "읽은 날",
        "column.exercises": "연습 문제 (통과한 날)",
    },
    "en": {
        "closing": "Exercises, and the next lesson",
        "practise": "The exercises of this lesson, which can be checked together:",
        "practise.one": "The exercise of this lesson:",
        "exercise": "`{name}` {title} ({difficulty}, about {minutes} min)",
        "following": "The next lesson: **{number}. {title}** (about {minutes} min)",
        "last": "This is the last lesson. See what you have done:",
        "difficulty.1": "easy",
        "difficulty.2": "medium",
        "difficulty.3": "hard",
        "done": "lessons {read}/{lessons}, exercises {passed}/{exercises}",
        "next.lesson": "Next is lesson {number}: {title} (about {minutes} min)",
        "next.exercise": "Next is an exercise: {title} ({difficulty}, about {minutes} min)",
        "all": "You have read all lessons and passed all exercises. Well done!",
        "no folder": "What you have done is kept in your folder of exercises. Make one, and you "
        "can go on from here:",
        "damaged": "The progress file cannot be read. Checking an exercise makes it anew:",
        "legend": "{read} lesson read  {unread} lesson left  {passed} exercise passed  "
        "{pending} exercise left",
        "summary": "What has been done",
        "summary.name": "Name: {name}",
        "summary.date": "Date: {date}",
        "column.lesson": "lesson",
        "column.read": "read on",
        "column.exercises": "exercises (passed on)",
    },
}

NEXT: dict[str, dict[str, str]] = {
    "ko": {"help": "어디까지 했는지, 다음은 무엇인지 보여 줘요"},
    "en": {"help": "show where you are and what comes next"},
}
PROGRESS: dict[str, dict[str, str]] = {
    "ko": {
        "help": "레슨과 연습 문제를 어디까지 했는지 그려요",
        "md": "선생님께 낼 요약을 Markdown으로 출력해요",
        "json": "JSON으로 출력해요",
        "name": "요약에 적을 이름",
        "both": "함께 쓸 수 없는 옵션이에요: --md, --json",
        "folder": "연습 문제 폴더 (기본: 여기, 위쪽 폴더, 또는 exercises)",
    },
    "en": {
        "help": "draw which lessons and exercises you have done",
        "md": "print a summary for a teacher, as Markdown",
        "json": "print JSON",
        "name": "a name to put on the summary",
        "both": "these options do not go together: --md, --json",
        "folder": "folder of the exercises (default: here, above, or ./exercises)",
    },
}

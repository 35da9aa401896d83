"""What `walkthrough export` says, in both languages."""

from __future__ import annotations

EXPORT: dict[str, dict[str, str]] = {
    "ko": {
        "help": "레슨을 웹 페이지, 노트북, 유인물로 내보내요",
        "lesson": "레슨 번호(5)나 이름, 직접 쓴 레슨 파일(my_lesson.md), all(모두)",
        "to": "html(기본값): 한 파일로 된 웹 페이지, ipynb: 주피터 노트북, md: 결과가 든 유인물",
        "output": "쓸 파일. 레슨이 여럿이면 폴더 (기본값: 레슨 이름의 파일, walkthrough-ko 폴더)",
        "example": "이 파일의 토큰과 가중치로 모두 다시 계산해요",
        "no-text": "원문에 관한 이야기를 빼요",
        "written": "{file} 파일을 썼어요",
        "missing": "{package} 패키지가 있어야 해요. 이렇게 설치하세요: {command}",
        "format": "{value!r} 형식으로는 내보낼 수 없어요. 쓸 수 있는 형식: html, ipynb, md",
        "not-a-folder": "{path}: 레슨이 여럿이면 폴더여야 하는데, 파일이에요",
        "source": "{path}: 레슨이나 예제가 든 파일이에요. 덮어쓰지 않게 다른 이름을 주세요",
        "twice": "{name!r} 레슨이 두 번 있어요. 한 번만 쓰거나 파일 이름을 다르게 하세요",
        "unwritable": "{path}: 쓸 수 없어요: {reason.ko}",
        "lost": "{line}번째 줄: 반복문이나 조건문 안의 식은 노트북에 나오지 않아요. "
        "show()나 print()로 보여 주세요",
        "unfit": "한 화면에 다 들어가지 않는 단계예요: {heading}",
    },
    "en": {
        "help": "make web pages, notebooks or handouts of lessons",
        "lesson": "a lesson's number (5) or name, a file of your own (my_lesson.md), or all",
        "to": "html (default): a web page in one file, ipynb: a Jupyter notebook, "
        "md: a handout with the results in it",
        "output": "the file to write; for several lessons, the folder "
        "(default: a file named after the lesson, a folder walkthrough-en)",
        "example": "compute everything with the tokens and weights of this file",
        "no-text": "leave out what is said about the text",
        "written": "wrote {file}",
        "missing": "this needs the package {package}; install it with: {command}",
        "format": "cannot export to {value!r}; the formats are html, ipynb, md",
        "not-a-folder": "{path}: must be a folder for several lessons, and is a file",
        "source": "{path}: holds the lesson or the example itself; give another name",
        "twice": "there are two lessons {name!r}; name each once, or rename a file",
        "unwritable": "{path}: cannot be written: {reason}",
        "lost": "line {line}: a notebook does not show an expression in a loop or under a "
        "condition; show it with show() or print()",
        "unfit": "a step that does not fit one screen: {heading}",
    },
}

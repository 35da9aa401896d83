"""What exercises say as notebooks, and in an editor."""

from __future__ import annotations

NOTEBOOK: dict[str, dict[str, str]] = {
    "ko": {
        "how": "아래 셀의 `raise NotImplementedError`를 코드로 바꾸고 실행한 다음, 그 아래 셀을 "
        "실행하면 검사해요.",
        "hint": "힌트 {number}",
        "language": "이제부터 이 폴더에서는 한국어로 말해요. 이미 있던 파일은 그대로예요.",
        "which": "어느 연습 문제인지 알 수 없어요: {given}. exercise=에 이름을 적으세요: {names}",
        "no function": "함수나 클래스가 아니에요: {name}",
        "no source": "이 노트북의 셀에 있는 함수나 클래스가 아니에요: {name}",
        "notebooks": "노트북은 Jupyter로 여세요. 다 풀면 {command} 명령으로도 검사할 수 있어요.",
        "tasks": "VS Code의 작업을 만들었어요: {file}. VS Code로 이 폴더를 열고 "
        "Ctrl+Shift+B를 누르면 열린 파일을 검사해요.",
        "tasks there": "VS Code의 작업 파일이 이미 있어서 그대로 두었어요: {file}",
    },
    "en": {
        "how": "Put your code in place of `raise NotImplementedError` in the cell below and run "
        "it; then run the cell after it, which checks.",
        "hint": "Hint {number}",
        "language": "From now on English is spoken in this folder. Files that were there stay.",
        "which": "Which exercise is meant is not clear: {given}. Name it by exercise=: {names}",
        "no function": "This is no function and no class: {name}",
        "no source": "No cell of this notebook defines it: {name}",
        "notebooks": "Open the notebooks in Jupyter. {command} checks them as well.",
        "tasks": "The tasks for VS Code are in {file}. Open the folder in VS Code; Ctrl+Shift+B "
        "checks the file that is open.",
        "tasks there": "There is a file of tasks for VS Code already; it stays as it is: {file}",
    },
}

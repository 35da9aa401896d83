"""What a lesson needs besides the base installation, and whether it is here."""

from __future__ import annotations

import importlib.util
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from walkthrough.classroom.lessons import Lesson
    from walkthrough.reference.load import LanguageModelFile

# What to say where it is missing, by language: installed by an extra, or fetched by a command.
SENTENCES: dict[str, dict[str, str]] = {
    "ko": {
        "model": "이 레슨은 진짜 언어 모델을 돌려요. 먼저 복제한 폴더에서 "
        "`pip install '.[model]'`로 필요한 패키지를 설치하고, `walkthrough model get`으로 "
        "모델을 받아 주세요.",
        "file": "이 레슨은 진짜 언어 모델을 돌려요. 먼저 `walkthrough model get`으로 모델(98 MB)을 "
        "받아 주세요.",
    },
    "en": {
        "model": "This lesson runs a real language model. Install what that takes first, in the "
        "clone's folder, with `pip install '.[model]'`, and fetch the model with "
        "`walkthrough model get`.",
        "file": "This lesson runs a real language model. Fetch it first (98 MB) with "
        "`walkthrough model get`.",
    },
}
PACKAGES = {"model": ("gguf", "tokenizers", "threadpoolctl", "platformdirs")}


def missing(lesson: Lesson) -> str | None:
    """The key of a sentence about what is missing; None where the lesson can run."""
    for need in lesson.needs:
        if any(importlib.util.find_spec(name) is None for name in PACKAGES[need]):
            return need
        if need == "model":
            from walkthrough.reference import smollm2

            if not smollm2.model_path().is_file():
                return "file"
    return None


@cache
def language_model() -> LanguageModelFile:
    """SmolLM2 and its tokenizer, read once."""
    from walkthrough.reference import smollm2
    from walkthrough.reference.load import load

    return load(smollm2.model_path())

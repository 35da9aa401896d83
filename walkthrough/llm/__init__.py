"""A real language model over the taught cache: GGUF files, the llama, its tokenizer."""

from __future__ import annotations

from typing import TYPE_CHECKING

from walkthrough.lazy import lazy_names

if TYPE_CHECKING:
    from walkthrough.llm.gguf_file import GGUFFile as GGUFFile
    from walkthrough.llm.gguf_file import ModelFileError as ModelFileError
    from walkthrough.llm.llama import Llama as Llama
    from walkthrough.llm.llama import LlamaLayer as LlamaLayer
    from walkthrough.llm.loading import LanguageModelFile as LanguageModelFile
    from walkthrough.llm.loading import language_model as language_model
    from walkthrough.llm.loading import load_model as load_model
    from walkthrough.llm.loading import parameters as parameters
    from walkthrough.llm.smollm2 import model_is_here as model_is_here

__getattr__, __dir__, __all__ = lazy_names(__name__, __file__)

"""Text to token ids and back, as a GGUF file describes it, by the library `tokenizers`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from walkthrough.llm.gguf_file import GGUFFile, ModelFileError, shortened
from walkthrough.llm.settings import CONTROL, CUTS, UNKNOWN, USER_DEFINED, read_settings

if TYPE_CHECKING:
    from tokenizers import Tokenizer


def read_tokenizer(file: GGUFFile) -> Tokenizer:
    """The file's byte-pair tokenizer. Raises `ModelFileError` where it has none, or another.

    Tokens that stand for themselves in a text are found before anything is cut; those that steer
    a model are left out of what is shown, those that a user has added are text like any other.
    """
    from tokenizers import AddedToken, Tokenizer, decoders, pre_tokenizers
    from tokenizers.models import BPE

    _, said = read_settings(file)
    try:
        tokenizer = Tokenizer(BPE({token: i for i, token in enumerate(said.tokens)}, said.merges))
    except Exception as error:  # the library raises no narrower kind
        raise ModelFileError(file.path, "merges", reason=shortened(str(error))) from error
    words = pre_tokenizers.ByteLevel(add_prefix_space=False)
    digits = [pre_tokenizers.Digits(individual_digits=True)] if CUTS[said.cut] else []
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence([*digits, words])
    tokenizer.decoder = decoders.ByteLevel()
    for token, kind in zip(said.tokens, said.types, strict=True):
        if kind not in (CONTROL, UNKNOWN, USER_DEFINED):
            continue
        if tokenizer.decoder.decode([token]) != token:
            raise ModelFileError(file.path, "decoded", token=shortened(token))
        whole = AddedToken(token, special=kind != USER_DEFINED, normalized=False)
        if kind == USER_DEFINED:
            tokenizer.add_tokens([whole])
        else:
            tokenizer.add_special_tokens([whole])
    return tokenizer

"""Text to token ids and back, as a GGUF file describes it, by the library `tokenizers`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from walkthrough.llm.gguf_file import GGUFFile, ModelFileError

if TYPE_CHECKING:
    from tokenizers import Tokenizer

CONTROL, USER_DEFINED = 3, 4  # types of tokens that stand for themselves in a text

# How a text is cut before byte-pair encoding: llama.cpp's name, and whether digits stand alone.
# Behind that comes GPT-2's cut into words, on bytes.
CUTS = {"smollm": True, "gpt-2": False}


def read_tokenizer(file: GGUFFile) -> Tokenizer:
    """The file's byte-pair tokenizer. Raises `ModelFileError` where it has none, or another."""
    from tokenizers import AddedToken, Tokenizer, decoders, pre_tokenizers
    from tokenizers.models import BPE

    found = file.metadata
    kind, cut = found.get("tokenizer.ggml.model"), found.get("tokenizer.ggml.pre")
    if kind != "gpt2" or cut not in CUTS:
        got, known = f"{kind}/{cut}", ", ".join(f"gpt2/{name}" for name in CUTS)
        raise ModelFileError(file.path, "tokenizer", got=got, known=known)
    for key in ("tokens", "merges", "token_type"):
        if f"tokenizer.ggml.{key}" not in found:
            raise ModelFileError(file.path, "missing", what=f"tokenizer.ggml.{key}")
    tokens, types = found["tokenizer.ggml.tokens"], found["tokenizer.ggml.token_type"]
    merges = [tuple(pair.split(" ", 1)) for pair in found["tokenizer.ggml.merges"]]
    vocabulary = {token: i for i, token in enumerate(tokens)}
    try:
        tokenizer = Tokenizer(BPE(vocabulary, merges))
    except Exception as error:  # the library raises no narrower kind
        raise ModelFileError(file.path, "damaged", what=f"its merges: {error}") from error
    words = pre_tokenizers.ByteLevel(add_prefix_space=False)
    digits = [pre_tokenizers.Digits(individual_digits=True)] if CUTS[cut] else []
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence([*digits, words])
    tokenizer.decoder = decoders.ByteLevel()
    whole = [t for t, type_ in zip(tokens, types, strict=True) if type_ in (CONTROL, USER_DEFINED)]
    tokenizer.add_special_tokens([AddedToken(text, special=True) for text in whole])
    return tokenizer

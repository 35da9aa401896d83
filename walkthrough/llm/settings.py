"""What a model file says about its model and its tokenizer, each value checked before it is used.

A file's keys are of three kinds: those that are read here, those that are known to change no
number, and the rest, which is refused by name, because it might. What is right for each was
compared with llama.cpp.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, NoReturn

from walkthrough.llm.gguf_file import GGUFFile, ModelFileError, shortened

CONTROL, USER_DEFINED, UNKNOWN = 3, 4, 2  # types of tokens that stand for themselves in a text

# How a text is cut before byte-pair encoding: llama.cpp's name, and whether digits stand alone.
# Behind that comes GPT-2's cut into words, on bytes.
CUTS = {"smollm": True, "gpt-2": False}

MOST = 1 << 24  # of anything that is counted: far above every model
ROOMS = ("general.", "llama.", "tokenizer.")  # where a key may change a number

# Keys that change no number here, and why.
HARMLESS = {
    r"general\.(name|author|version|organization|finetune|basename|description|quantized_by|"
    r"size_label|license|url|doi|uuid|repo_url|tags|languages|datasets)": "who made it, and when",
    r"general\.(license|source|base_model|dataset)\..*": "where it comes from",
    r"general\.file_type": "each tensor says itself how it is stored",
    r"general\.sampling\..*": "advice on sampling; here the caller says how",
    r"llama\.rope\.scaling\.(finetuned|original_context_length)": "for scalings refused here",
    r"llama\.tensor_data_layout": "the pairs of RoPE, as every llama file has them",
    r"tokenizer\.chat_template(s|\..*)?": "prompts are taken as they are written",
    r"tokenizer\.huggingface\.json": "the same tokenizer once more",
    r"tokenizer\.ggml\.(scores|add_space_prefix|remove_extra_whitespaces|precompiled_charsmap)": (
        "for other kinds of tokenizers"
    ),
    r"tokenizer\.ggml\.(unknown|padding|seperator|cls|mask|prefix|suffix|middle|fim_\w+)"
    r"_token_id": "tokens that nothing here writes by itself",
}
_HARMLESS = re.compile("|".join(HARMLESS))

# Keys that may be there if they say that nothing is to be done.
NEUTRAL: dict[str, tuple[object, ...]] = {
    "general.type": ("model",),
    "general.quantization_version": (2,),
    "llama.expert_count": (0,),
    "llama.expert_used_count": (0,),
    "llama.attention.causal": (True,),
    "llama.attention.sliding_window": (0,),
    "llama.use_parallel_residual": (False,),
    "llama.rope.scaling.type": ("none", "linear"),
    "llama.rope.scaling.attn_factor": (1.0,),
    "tokenizer.ggml.add_eos_token": (False,),
    "tokenizer.ggml.add_sep_token": (False,),
}


@dataclass(frozen=True)
class ModelSettings:
    """The numbers that shape a llama."""

    d_model: int
    layers: int
    h: int
    h_kv: int
    d_k: int
    d_ff: int
    vocabulary: int
    context_length: int
    eos: int
    eps: float
    rope_base: float
    rope_factor: float  # by which positions are divided


@dataclass(frozen=True)
class TokenizerSettings:
    """Tokens, how they are merged, and what is put before a text."""

    cut: str
    tokens: list[str]
    types: list[int]
    merges: list[tuple[str, str]]
    bos: int | None  # None: nothing is put before a text


class CheckedKeys:
    """The values of a file's keys, checked when they are asked for."""

    def __init__(self, file: GGUFFile) -> None:
        self.file = file
        self.asked: set[str] = set()

    def fail(self, kind: str, **fields: object) -> NoReturn:
        """Raise the error that names the file."""
        raise ModelFileError(self.file.path, kind, **fields)

    def value(self, key: str, default: Any = None) -> Any:
        """As it stands there; an error where it is missing and there is no default."""
        self.asked.add(key)
        if (got := self.file.metadata.get(key, default)) is None:
            self.fail("missing", key=key)
        return got

    def whole(self, key: str, low: int, high: int, default: int | None = None) -> int:
        """A whole number in a range."""
        got = self.value(key, default)
        if isinstance(got, list):
            self.fail("per layer", key=key, got=shortened(got))
        if type(got) is not int or not low <= got <= high:
            self.fail("whole", key=key, got=shortened(got), low=low, high=high)
        return got

    def number(self, key: str, low: float, high: float, default: float | None = None) -> float:
        """A number in a range, which leaves out what is not finite."""
        got = self.value(key, default)
        if type(got) not in (int, float) or not low <= got <= high:
            self.fail("number", key=key, got=shortened(got), low=low, high=high)
        return float(got)

    def text(self, key: str, default: str | None = None) -> str:
        """A text."""
        if not isinstance(got := self.value(key, default), str):
            self.fail("text", key=key, got=shortened(got))
        return got

    def flag(self, key: str, default: bool) -> bool:
        """True or false."""
        if not isinstance(got := self.value(key, default), bool):
            self.fail("flag", key=key, got=shortened(got))
        return got

    def texts(self, key: str) -> list[str]:
        """A list of texts."""
        got = self.value(key)
        if not isinstance(got, list) or not all(isinstance(item, str) for item in got):
            self.fail("texts", key=key, got=shortened(got))
        return got

    def wholes(self, key: str) -> list[int]:
        """A list of whole numbers."""
        got = self.value(key)
        if not isinstance(got, list) or not all(type(item) is int for item in got):
            self.fail("numbers", key=key, got=shortened(got))
        return got

    def refuse_others(self) -> None:
        """Raise where a key has not been asked for and is not known to be harmless."""
        for key, got in self.file.metadata.items():
            if key in NEUTRAL:
                if got not in NEUTRAL[key]:
                    expected = ", ".join(map(repr, NEUTRAL[key]))
                    self.fail("unsupported", key=key, got=shortened(got), expected=expected)
            elif key.startswith(ROOMS) and key not in self.asked and not _HARMLESS.fullmatch(key):
                self.fail("unknown key", key=key, got=shortened(got))


@lru_cache(maxsize=1)  # the model and the tokenizer of one file are read one after the other
def read_settings(file: GGUFFile) -> tuple[ModelSettings, TokenizerSettings]:
    """All that the file says. Raises `ModelFileError` that names the key and what is wrong."""
    keys = CheckedKeys(file)
    architecture = file.metadata.get("general.architecture")
    if architecture != "llama":
        keys.fail("architecture", architecture=architecture)
    keys.asked |= {"general.architecture", "general.alignment"}  # the reader has checked that
    tokenizer = _tokenizer(keys)
    model = _model(keys, len(tokenizer.tokens))
    keys.refuse_others()
    return model, tokenizer


def _model(keys: CheckedKeys, vocabulary: int) -> ModelSettings:
    d_model = keys.whole("llama.embedding_length", 1, MOST)
    h = keys.whole("llama.attention.head_count", 1, MOST)
    h_kv = keys.whole("llama.attention.head_count_kv", 1, MOST, h)
    d_k = keys.whole("llama.attention.key_length", 1, MOST, max(1, d_model // h))
    rotated = keys.whole("llama.rope.dimension_count", 1, MOST, d_k)
    if rotated != d_k or d_k % 2 or h % h_kv:
        keys.fail("heads", h=h, h_kv=h_kv, d_k=d_k, rotated=rotated)
    for key, size in (
        ("llama.attention.value_length", d_k),
        ("llama.vocab_size", vocabulary),
        ("llama.embedding_length_out", d_model),
    ):
        if (got := keys.whole(key, 1, MOST, size)) != size:
            keys.fail("unsupported", key=key, got=got, expected=size)
    eos = keys.whole("tokenizer.ggml.eos_token_id", 0, vocabulary - 1)
    for name in ("eot", "eom"):  # where llama.cpp would stop, too
        key = f"tokenizer.ggml.{name}_token_id"
        if (got := keys.whole(key, 0, vocabulary - 1, eos)) != eos:
            keys.fail("unsupported", key=key, got=got, expected=eos)
    return ModelSettings(
        d_model=d_model,
        layers=keys.whole("llama.block_count", 1, 10_000),
        h=h,
        h_kv=h_kv,
        d_k=d_k,
        d_ff=keys.whole("llama.feed_forward_length", 1, MOST),
        vocabulary=vocabulary,
        context_length=keys.whole("llama.context_length", 1, 1 << 31),
        eos=eos,
        eps=keys.number("llama.attention.layer_norm_rms_epsilon", 0, 1),
        rope_base=keys.number("llama.rope.freq_base", 1, 1e12, 10000.0),
        rope_factor=_rope_factor(keys),
    )


def _rope_factor(keys: CheckedKeys) -> float:
    """A factor without a type is linear; the older key counts where the newer is missing."""
    older = keys.number("llama.rope.scale_linear", 0, 1e6, 0.0)
    factor = keys.number("llama.rope.scaling.factor", 0, 1e6, older)
    return 1.0 if keys.file.metadata.get("llama.rope.scaling.type") == "none" else factor or 1.0


def _tokenizer(keys: CheckedKeys) -> TokenizerSettings:
    kind, cut = keys.text("tokenizer.ggml.model", ""), keys.text("tokenizer.ggml.pre", "")
    if kind != "gpt2" or cut not in CUTS:
        known = ", ".join(f"gpt2/{name}" for name in CUTS)
        keys.fail("tokenizer", got=f"{kind}/{cut}"[:40], known=known)
    tokens = keys.texts("tokenizer.ggml.tokens")
    merges = keys.texts("tokenizer.ggml.merges")
    types = keys.wholes("tokenizer.ggml.token_type")
    if not tokens or len(types) != len(tokens):
        both = {"key": "tokenizer.ggml.token_type", "other": "tokenizer.ggml.tokens"}
        keys.fail("length", got=len(types), expected=len(tokens), **both)
    seen: set[str] = set()
    for token in tokens:
        if token in seen:
            keys.fail("same token", token=shortened(token))
        seen.add(token)
    pairs = [(left, right) for left, _, right in (merge.partition(" ") for merge in merges)]
    for merge, (left, right) in zip(merges, pairs, strict=True):
        if not (left in seen and right in seen and left + right in seen):
            keys.fail("merges", reason=shortened(merge))
    last = len(tokens) - 1
    bos_key = "tokenizer.ggml.bos_token_id"
    bos = keys.whole(bos_key, 0, last) if bos_key in keys.file.metadata else None
    if not keys.flag("tokenizer.ggml.add_bos_token", False):
        bos = None
    elif bos is None:
        keys.fail("missing", key=bos_key)
    return TokenizerSettings(cut, tokens, types, pairs, bos)

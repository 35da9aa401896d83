"""The example as data: what it says, where it comes from, and files that are no example."""

from __future__ import annotations

import itertools
from pathlib import Path

import numpy as np
import pytest

from walkthrough.document.example import Example
from walkthrough.document.example_checks import ExampleError
from walkthrough.document.example_file import document, load_example
from walkthrough.document.figures import printed
from walkthrough.reference.attention import project

BUILT_IN = (Path(__file__).parents[2] / "walkthrough/document/document.toml").read_text("utf-8")


def test_projections_are_those_that_the_document_prints(ex: Example) -> None:
    X = ex.embed(["나는", "학교에", "간다"])
    for name, W in (("Q", ex.W_Q), ("K", ex.W_K), ("V", ex.W_V)):
        np.testing.assert_array_equal(project(X, W[0]), printed(name))


def test_the_weights_are_the_only_0_1_solution(ex: Example) -> None:
    X = ex.embed(["나는", "학교에", "간다"])
    columns = [np.array(bits) for bits in itertools.product((0, 1), repeat=4)]
    for name, W in (("Q", ex.W_Q), ("K", ex.W_K), ("V", ex.W_V)):
        for j in range(2):
            fits = [c for c in columns if np.array_equal(X @ c, printed(name)[:, j])]
            assert len(fits) == 1
            np.testing.assert_array_equal(fits[0], W[0][:, j])


def test_real_weights_are_fixed_up_to_one_direction(ex: Example) -> None:
    X = ex.embed(["나는", "학교에", "간다"])
    assert np.linalg.matrix_rank(X) == 3
    np.testing.assert_array_equal(X @ [1, 1, -1, -2], 0)


def test_what_is_not_the_documents_is_marked(ex: Example) -> None:
    assert ex.token_origins == ("printed", "printed", "printed", "own", "own")
    assert ex.head_origins == ("reconstructed", "own")
    assert ex.output_origin == "own"


def write(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "mine.toml"
    path.write_text(text, encoding="utf-8")
    return path


SMALL = """
prompt = ["a"]
eos = "b"
d_model = 3
heads = 1
d_k = 2
[[token]]
text = "a"
embedding = [1, 2, 3]
[[token]]
text = "b"
embedding = [0.5, 0, -1]
[[head]]
W_Q = [[1, 0], [0, 1], [1, 1]]
W_K = [[1, 0], [0, 1], [1, 1]]
W_V = [[1, 0], [0, 1], [1, 1]]
[output]
W_O = [[1, 0, 0], [0, 1, 0]]
"""


def test_a_small_file_of_other_sizes(tmp_path: Path) -> None:
    ex = load_example(write(tmp_path, SMALL))
    assert (ex.title, ex.d_model, ex.heads, ex.d_k) == ("mine", 3, 1, 2)
    assert ex.token_origins == ("file", "file")
    np.testing.assert_array_equal(ex.W_vocab, ex.embedding.T)  # tied where not given


def test_a_byte_order_mark_is_no_harm(tmp_path: Path) -> None:
    path = tmp_path / "bom.toml"
    path.write_bytes(b"\xef\xbb\xbf" + BUILT_IN.encode())
    assert load_example(path).tokens == document().tokens


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("d_model = 4", "d_model = 5", r"token[1].embedding: expected shape (5,) (d_model), got (4,)"),
        ("d_k = 2", "d_k = 3", "head[1].W_Q: expected shape (4, 3) (d_model × d_k), got (4, 2)"),
        ("heads = 2", "heads = 3", "head: expected 3 (heads), got 2"),
        ("heads = 2", "heads = true", "heads: must be a whole number from 1, got True"),
        ("d_model = 4", "d_model = 0", "d_model: must be a whole number from 1, got 0"),
        ("[1, 0, 1, 0]", "[1, 0, nan, 0]", "token[1].embedding: must hold finite numbers, got nan at [3]"),
        ("[1, 0, 1, 0]", "[1, 0, 1e9, 0]", "token[1].embedding: must hold numbers of at most 1,000 either way, got 1000000000.0 at [3]"),
        ("[1, 0, 1, 0]", '[1, 0, "x", 0]', "token[1].embedding: must hold numbers only, got 'x' at [3]"),
        ("[1, 0, 1, 0]", "7", "token[1].embedding: must be a list of numbers, got 7"),
        ("[[1, 0], [0, 1], [1, 0], [0, 1]]", "[[1, 0], [0], [1, 0], [0, 1]]", "head[1].W_Q: row 2 has 1 numbers, the first row has 2"),
        ("[[1, 0], [0, 1], [1, 0], [0, 1]]", "[]", "head[1].W_Q: expected shape (4, 2) (d_model × d_k), got (0,)"),
        ("[[1, 0], [0, 1], [1, 0], [0, 1]]", "[1, 2]", "head[1].W_Q: must be a list of rows of numbers, got [1, 2]"),
        ('text = "간다"', 'text = "나는"', "token[3].text: '나는' stands twice (token 1 and token 3)"),
        ('text = "간다"', 'text = "  "', "token[3].text: must not be empty"),
        ('text = "간다"', r'text = "a\tb"', r"token[3].text: must be one line of printable text, got 'a\tb'"),
        ("[1, 0, 1, 0]", "[1, 0, 1, " + "9" * 5000 + "]", "is not valid TOML"),
        ("[1, 0, 1, 0]", "[1, 0, 1, 0x" + "f" * 9000 + "]", "token[1].embedding: must hold numbers of at most 1,000 either way, got a very long int at [4]"),
        ("[1, 0, 1, 0]", "[" * 3000 + "]" * 3000, "is not valid TOML"),
        ("[1, 0, 1, 0]", '"' + "long " * 5000 + '"', "token[1].embedding: must be a list of numbers, got 'long"),
        ('text = "간다"', "text = 3", "token[3].text: must be a text, got 3"),
        ('eos = "<EOS>"', 'eos = "끝"', "eos: '끝' is not one of the tokens: 나는, 학교에, 간다, ., <EOS>"),
        ('eos = "<EOS>"', "", "eos: is missing"),
        ('prompt = ["나는", "학교에"]', "prompt = []", "prompt: must not be empty"),
        ('prompt = ["나는", "학교에"]', 'prompt = "나는"', "prompt: must be a list of tokens, got '나는'"),
        ('prompt = ["나는", "학교에"]', 'prompt = [["나는"]]', "prompt: ['나는'] is not one of the tokens"),
        ("d_k = 2", "d_k = 2\nd_v = 2", "d_v: is not a key of an example"),
        ("[output]", "[outputs]", "outputs: is not a key of an example"),
        ("title =", "title 나는 =", "is not valid TOML"),
    ],
)  # fmt: skip
def test_a_wrong_file_is_named_with_the_key(
    tmp_path: Path, old: str, new: str, message: str
) -> None:
    assert old in BUILT_IN
    path = write(tmp_path, BUILT_IN.replace(old, new, 1))
    with pytest.raises(ExampleError) as caught:
        load_example(path)
    assert str(caught.value).startswith(f"{path}: {message}") or message in str(caught.value)
    assert str(path) in str(caught.value)
    korean = caught.value.text("ko")
    assert str(path) in korean
    assert "{" not in korean
    assert len(str(caught.value)) < 400 + len(str(path))
    assert "\n" not in str(caught.value)


def test_w_o_is_needed_where_the_identity_does_not_fit(tmp_path: Path) -> None:
    path = write(tmp_path, SMALL.replace("[output]\nW_O = [[1, 0, 0], [0, 1, 0]]", ""))
    with pytest.raises(ExampleError, match=r"output.W_O: is needed where heads · d_k = 2 is not"):
        load_example(path)


def test_one_token_is_not_enough(tmp_path: Path) -> None:
    text = SMALL.replace('[[token]]\ntext = "b"\nembedding = [0.5, 0, -1]\n', "")
    with pytest.raises(ExampleError, match="token: must be at least 2 tokens, got 1"):
        load_example(write(tmp_path, text))


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(ExampleError, match=r"none.toml: cannot be read: No such file"):
        load_example(tmp_path / "none.toml")
    with pytest.raises(ExampleError, match="is not an ordinary file"):
        load_example(tmp_path)
    latin = tmp_path / "euc.toml"
    latin.write_bytes("title = '나'".encode("cp949"))
    with pytest.raises(ExampleError, match=r"is not UTF-8 text \(byte 9\)"):
        load_example(latin)

"""What is said about a model file that cannot be read here, in both languages."""

from __future__ import annotations

# The sentences of ModelFileError, by its kinds.
MODEL_FILE_ERRORS: dict[str, dict[str, str]] = {
    "ko": {
        "unreadable": "읽을 수 없어요: {reason.ko}",
        "not a file": "보통 파일이 아니에요 (폴더나 장치, 파이프)",
        "foreign": "GGUF 파일이 아니에요. GGUF라는 글자로 시작하지 않아요",
        "version": "GGUF 버전이 {version}이에요. 읽을 수 있는 버전: 2, 3",
        "cut": "파일이 중간에서 끊겼어요. 머리 부분이 {end:,}바이트까지 있어야 하는데 "
        "{size:,}바이트뿐이에요",
        "cut tensor": "파일이 중간에서 끊겼어요. 텐서 {tensor}: {end:,}바이트까지 있어야 하는데 "
        "{size:,}바이트뿐이에요",
        "header": "머리 부분이 너무 길어요. 여기에서는 {most:,}바이트까지 읽어요",
        "utf-8": "파일이 망가졌어요: UTF-8이 아닌 글이 있어요",
        "axes": "파일이 망가졌어요. 텐서 {tensor}의 모양: {shape}",
        "nested": "값이 배열의 배열이에요: {key}. 여기에서는 읽지 않아요",
        "value type": "파일이 망가졌어요. {key}: 알 수 없는 값의 형식 {type}",
        "twice": "파일이 망가졌어요. 두 번 나와요: {key}",
        "merges": "파일이 망가졌어요. 토크나이저의 병합 규칙을 쓸 수 없어요: {reason}",
        "row": "파일이 망가졌어요. 텐서 {tensor}의 한 행은 {width}개인데 {type} 블록으로 "
        "나누어떨어지지 않아요",
        "architecture": "구조가 {architecture!r}이에요. 읽을 수 있는 구조: 'llama'",
        "missing": "빠져 있어요: {key}",
        "no tensor": "텐서가 빠져 있어요: {tensor}",
        "unknown key": "여기에서 모르는 설정이 있어요: {key} = {got}. 결과를 바꿀 수 있어서 읽지 "
        "않아요",
        "unsupported": "이 모델에 없는 기능을 써요: {key} = {got}. 읽을 수 있는 값: {expected}",
        "whole": "값이 맞지 않아요: {key} = {got}. {low}에서 {high} 사이의 정수여야 해요",
        "number": "값이 맞지 않아요: {key} = {got}. {low:g}에서 {high:g} 사이의 수여야 해요",
        "text": "값이 맞지 않아요: {key} = {got}. 글이어야 해요",
        "flag": "값이 맞지 않아요: {key} = {got}. 참 또는 거짓이어야 해요",
        "texts": "값이 맞지 않아요: {key} = {got}. 글의 목록이어야 해요",
        "numbers": "값이 맞지 않아요: {key} = {got}. 정수의 목록이어야 해요",
        "per layer": "레이어마다 값이 따로 있어요: {key} = {got}. 모든 레이어에 같은 값 하나만 "
        "읽을 수 있어요",
        "power": "값이 맞지 않아요: {key} = {got}. 2의 거듭제곱이어야 해요",
        "length": "개수가 맞지 않아요: {key}에 {got}개가 있는데 {other}에는 {expected}개가 있어요",
        "same token": "같은 토큰이 두 번 있어요: {token}",
        "decoded": "글자 그대로 되돌릴 수 없는 토큰이 있어요: {token}",
        "heads": "헤드의 수가 맞지 않아요: 헤드 {h}, K/V 헤드 {h_kv}, d_k {d_k}, 그 가운데 "
        "회전하는 수 {rotated}",
        "unknown": "llama에 없는 텐서가 있어요: {tensor}",
        "type": "텐서 {tensor}의 형식은 {type}이에요. 읽을 수 있는 형식: {known}",
        "shape": "텐서 {tensor}의 모양이 맞지 않아요. 필요: {expected}, 지금: {got}",
        "finite": "텐서 {tensor}에 유한하지 않은 수가 있어요",
        "tokenizer": "토크나이저의 종류가 {got!r}이에요. 읽을 수 있는 종류: {known}",
    },
    "en": {
        "unreadable": "cannot be read: {reason}",
        "not a file": "is not an ordinary file (a folder, a device or a pipe)",
        "foreign": "is not a GGUF file: it does not begin with the letters GGUF",
        "version": "is GGUF version {version}; versions 2 and 3 can be read",
        "cut": "ends too early: the header should go on to byte {end:,}, the file has {size:,}",
        "cut tensor": "ends too early: {tensor} should go on to byte {end:,}, the file has "
        "{size:,}",
        "header": "has too long a header: up to {most:,} bytes are read here",
        "utf-8": "is damaged: a text in it is not UTF-8",
        "axes": "is damaged: tensor {tensor} has the shape {shape}",
        "nested": "has an array of arrays, which is not read here: {key}",
        "value type": "is damaged: {key} has a value of the unknown type {type}",
        "twice": "is damaged: {key} stands there twice",
        "merges": "is damaged: the merges of its tokenizer cannot be used: {reason}",
        "row": "is damaged: a row of tensor {tensor} has {width} numbers, not whole blocks of "
        "{type}",
        "architecture": "has the architecture {architecture!r}; only 'llama' can be read",
        "missing": "lacks {key}",
        "no tensor": "lacks the tensor {tensor}",
        "unknown key": "has a setting that is not known here: {key} = {got}; it might change "
        "results, so the file is not read",
        "unsupported": "uses what this model does not have: {key} = {got}; what can be read: "
        "{expected}",
        "whole": "says {key} = {got}; that must be a whole number from {low} to {high}",
        "number": "says {key} = {got}; that must be a number from {low:g} to {high:g}",
        "text": "says {key} = {got}; that must be a text",
        "flag": "says {key} = {got}; that must be true or false",
        "texts": "says {key} = {got}; that must be a list of texts",
        "numbers": "says {key} = {got}; that must be a list of whole numbers",
        "per layer": "has a value of its own for each layer: {key} = {got}; one value for all "
        "layers can be read",
        "power": "says {key} = {got}; that must be a power of two",
        "length": "has {got} items in {key}, but {expected} in {other}",
        "same token": "has the same token twice: {token}",
        "decoded": "has a token that cannot be turned back into its own text: {token}",
        "heads": "has heads that do not fit: heads {h}, K/V heads {h_kv}, d_k {d_k}, of which "
        "{rotated} are rotated",
        "unknown": "has a tensor that a llama does not have: {tensor}",
        "type": "tensor {tensor} is stored as {type}; what can be read: {known}",
        "shape": "tensor {tensor} has shape {got}, expected {expected}",
        "finite": "tensor {tensor} holds numbers that are not finite",
        "tokenizer": "has a tokenizer of the kind {got!r}; what can be read: {known}",
    },
}

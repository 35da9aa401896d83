"""Titles and labels of tables in Korean, where these words are all that they are made of."""

from __future__ import annotations

import re

TABLE_WORDS = {
    "cache": "캐시", "mask": "마스크", "sum": "합", "scores": "점수", "logits": "로짓",
    "token": "토큰", "tokens": "토큰", "origin": "출처", "fed": "입력", "chosen": "선택",
    "prefill": "프리필", "decode": "디코드", "largest": "최대", "difference": "차이",
    "position": "위치", "logical": "논리", "physical": "물리", "block": "블록",
    "blocks": "블록", "slot": "슬롯", "slots": "슬롯", "block table": "블록 테이블",
    "no cache": "캐시 없음", "event": "이벤트", "events": "이벤트", "prompt": "프롬프트",
    "hit": "적중", "computed": "계산", "steps": "스텝", "copies": "복사", "free": "비었음",
    "score": "점수", "sequence": "시퀀스", "shared": "공유", "bytes": "바이트",
    "layers": "레이어", "heads": "헤드", "reserved": "예약", "used": "사용",
    "no mask": "마스크 없음", "tokens in each step": "단계마다 계산한 토큰 수",
    "causal mask": "인과 마스크", "printed": "인쇄된 값", "merged": "합친 것",
    "who": "누가", "detail": "자세히", "length": "길이", "sum of each row of E": "E의 행마다 합",
    "sum of each row of P": "P의 행마다 합", "batch": "배치", "embedding": "임베딩",
    "query heads": "쿼리 헤드", "latent": "잠재 벡터", "share": "비중", "exact": "정확한 값",
}  # fmt: skip


def table_word(text: str, language: str) -> str:
    """A title, label or text of a table in the page's language."""
    if language != "ko":
        return text
    if text in TABLE_WORDS:
        return TABLE_WORDS[text]
    text = re.sub(r"(^|, )head (\d+)", r"\1헤드 \2", text)
    text = re.sub(r"^(block|slot|step|beam) (\d+)$", _counted, text)
    first, comma, rest = text.rpartition(", ")
    if comma and (words := table_word(rest, language)) != rest:
        return f"{table_word(first, language)}, {words}"
    if within := re.fullmatch(r"(\w) in block (\d+)", text):
        return f"{within[1]}, {within[2]}번 블록"
    name, space, rest = text.partition(" ")
    if not space or rest not in TABLE_WORDS:
        return text
    word = TABLE_WORDS[rest]
    if name.replace(",", "").isdecimal():  # 32 heads, 2 bytes
        return f"{name}{word}" if rest == "bytes" else f"{word} {name}개"
    return f"{name} {word}" if len(name) == 1 else text


def _counted(match: re.Match[str]) -> str:
    words = {"block": "블록", "slot": "슬롯", "step": "스텝", "beam": "빔"}
    return f"{words[match[1]]} {match[2]}"

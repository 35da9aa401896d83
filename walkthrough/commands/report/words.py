"""What `--html` says, in both languages."""

from __future__ import annotations

WORDS: dict[str, dict[str, str]] = {
    "ko": {
        "html": "그림과 표를 네트워크 없이 열리는 HTML 파일 하나로도 써요",
        "written": "{file} 파일을 썼어요",
        "unwritable": "{path}: 쓸 수 없어요: {reason.ko}",
        "values": "값",
    },
    "en": {
        "html": "write pictures and tables as one HTML file, too, which needs no network",
        "written": "wrote {file}",
        "unwritable": "{path}: cannot be written: {reason}",
        "values": "values",
    },
}

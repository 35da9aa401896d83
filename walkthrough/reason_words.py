"""The system's reasons for refusing a file, by the names of its error numbers."""

from __future__ import annotations

REASONS: dict[str, dict[str, str]] = {
    "ko": {
        "ENOENT": "그런 파일이나 폴더가 없어요",
        "EACCES": "권한이 없어요",
        "EPERM": "허용되지 않아요",
        "EISDIR": "폴더예요",
        "ENOTDIR": "폴더가 아니에요",
        "EEXIST": "같은 이름의 파일이 이미 있어요",
        "ENOSPC": "디스크에 남은 자리가 없어요",
        "EROFS": "읽기만 할 수 있는 디스크예요",
        "ENAMETOOLONG": "이름이 너무 길어요",
        "ELOOP": "링크가 서로를 가리켜요",
        "EMFILE": "열린 파일이 너무 많아요",
        "EFBIG": "파일이 너무 커요",
        "EIO": "디스크에서 오류가 났어요",
        "ENODEV": "그런 장치가 없어요",
        "ENXIO": "그런 장치가 없어요",
        "EADDRINUSE": "다른 프로그램이 쓰고 있는 주소예요",
        "ECONNREFUSED": "연결을 거절했어요",
    },
    "en": {  # as the system says it
        "ENOENT": "No such file or directory",
        "EACCES": "Permission denied",
        "EPERM": "Operation not permitted",
        "EISDIR": "Is a directory",
        "ENOTDIR": "Not a directory",
        "EEXIST": "File exists",
        "ENOSPC": "No space left on device",
        "EROFS": "Read-only file system",
        "ENAMETOOLONG": "File name too long",
        "ELOOP": "Too many levels of symbolic links",
        "EMFILE": "Too many open files",
        "EFBIG": "File too large",
        "EIO": "Input/output error",
        "ENODEV": "No such device",
        "ENXIO": "No such device or address",
        "EADDRINUSE": "Address already in use",
        "ECONNREFUSED": "Connection refused",
    },
}

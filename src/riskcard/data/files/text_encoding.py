"""The encoding of a text file: UTF-8 if it can be, what its first bytes say, or Windows-1252."""

import codecs
import re

from riskcard.data.reading_notes import ReadingNote, Topic
from riskcard.errors import FormatError, ParameterError

_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
#: The zeros of UTF-16 are searched for in this many bytes.
_START = 200
_WORD = re.compile(r"\w*[^\W\x00-\x7f]\w*")


def as_utf8(path: str, content: bytes, encoding: str | None) -> tuple[bytes, ReadingNote | None]:
    """The content of a text file as UTF-8 without a byte order mark, and what was decided.

    Parameters
    ----------
    path
        For error messages.
    content
        The bytes of the file.
    encoding
        The encoding that the user names; None to find out.
    """
    if encoding is not None:
        return _decoded(path, content, encoding), None
    for mark, name in _MARKS:
        if content.startswith(mark):
            rest = content[len(mark) :]
            if name == "utf-8":
                return _checked_utf8(path, rest)
            return _decoded(path, rest, name), _note("The file is encoded as UTF-16.")
    if name_of_zeros := _utf16_by_zeros(content):
        return _decoded(path, content, name_of_zeros), _note("The file is encoded as UTF-16.")
    return _checked_utf8(path, content)


def _checked_utf8(path: str, content: bytes) -> tuple[bytes, ReadingNote | None]:
    """UTF-8 as it is; other text as Windows-1252, which includes what is printable in Latin-1."""
    if content.isascii():
        return content, None
    try:
        content.decode("utf-8")
    except UnicodeDecodeError as error:
        return _from_windows(path, content, error)
    return content, None


def _from_windows(
    path: str, content: bytes, error: UnicodeDecodeError
) -> tuple[bytes, ReadingNote | None]:
    tolerant = content.decode("utf-8", errors="replace")
    n_wrong = tolerant.count("\ufffd")
    line = content.count(b"\n", 0, error.start) + 1
    wrong = f"byte 0x{content[error.start]:02x} in line {line}"
    if sum(not character.isascii() for character in tolerant) > 2 * n_wrong:
        raise FormatError(
            f"{path!r} is UTF-8 text with errors ({wrong} cannot be read). Save it again as UTF-8, "
            "or name its encoding with --encoding, such as --encoding cp1252."
        )
    try:
        text = content.decode("cp1252")
    except UnicodeDecodeError:
        raise FormatError(
            f"{path!r} is neither UTF-8 nor Windows-1252 text ({wrong} cannot be read). Save it as "
            "UTF-8, or name its encoding with --encoding, such as --encoding cp1250."
        ) from None
    found = _WORD.search(text)
    example = f", so that a word in it is {found[0]!r}" if found else ""
    return text.encode(), _note(
        f"The file is not UTF-8 and was read as Windows-1252 (Western European){example}. "
        "--encoding names another encoding.",
        is_guess=True,
    )


def _decoded(path: str, content: bytes, encoding: str) -> bytes:
    try:
        return content.decode(encoding).removeprefix("\ufeff").encode()
    except LookupError:
        raise ParameterError(
            f"--encoding is {encoding!r}, which is not known. Use utf-8, cp1252, cp1250, utf-16 or "
            "another name that Python knows."
        ) from None
    except (UnicodeError, TypeError):
        raise FormatError(
            f"{path!r} is not {encoding} text. Save it as UTF-8, or name its encoding with "
            "--encoding."
        ) from None


def _utf16_by_zeros(content: bytes) -> str | None:
    """UTF-16 without a mark: in Western text nearly every other byte is zero."""
    start = content[:_START]
    even, odd = start[::2].count(0), start[1::2].count(0)
    if max(even, odd) * 3 < len(start) or min(even, odd) > 0 or len(content) % 2:
        return None
    return "utf-16-le" if odd > even else "utf-16-be"


def _note(text: str, is_guess: bool = False) -> ReadingNote:
    return ReadingNote(Topic.FILE, text, is_guess=is_guess)

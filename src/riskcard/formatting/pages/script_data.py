"""What a page gives to its scripts, and which scripts a page lets run."""

import base64
import hashlib
import json
from typing import Any


def script_data(content: Any) -> str:
    """Content as JSON that cannot end the element around it.

    Examples
    --------
    >>> script_data("</b>")
    '"\\\\u003c/b\\\\u003e"'
    """
    text = json.dumps(content, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    for character in "<>&\u2028\u2029":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return text


def source_hash(text: str) -> str:
    """The source of a content policy that lets only this style or script act, whatever is in the names."""
    digest = base64.b64encode(hashlib.sha256(text.encode("utf-8")).digest()).decode("ascii")
    return f"'sha256-{digest}'"

"""What each page of ours needs: data that are packed into it, and a content security policy."""

import base64
import hashlib
import json
import re
import zlib
from typing import Final

__all__ = ["CONTROLS", "content_policy", "packed"]

# The same characters as `CONTROLS` of tables.js, and surrogates, which UTF-8 can't encode.
CONTROLS: Final = re.compile("[\x00-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")


def packed(content: object) -> str:
    """Returns JSON data compressed (deflate) and in base64, so that no text in it becomes HTML.

    Characters that can't be seen, or that turn the direction of the text, become visible ones.
    """
    text = CONTROLS.sub("\ufffd", json.dumps(content, ensure_ascii=False, separators=(",", ":")))
    return base64.b64encode(zlib.compress(text.encode(), 9)).decode()


def content_policy(style: str, script: str) -> str:
    """Returns a content security policy that allows only the page's own style and script."""
    return (
        f"default-src 'none'; style-src {_hash(style)}; script-src {_hash(script)};"
        " base-uri 'none'; form-action 'none'"
    )


def _hash(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"

"""Reads records that a model wrote as JSON: one object, an array, or an object on each line."""

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from graphrag_neo4j.llm.replies.list_marks import kind_of
from graphrag_neo4j.llm.replies.named_fields import field_name, kind_named, named_record
from graphrag_neo4j.llm.replies.tuples import Part, Tuples

__all__ = ["is_json", "take_json"]

# JSON begins at a line, or behind a colon that ends a sentence.
BEGINNING = re.compile(
    r"(?:^[ \t]*(?:[-*•][ ]|\d{1,4}[.)][ ]|json[ ]|,)?|[:：][ ]?)(?=\{|\[\s*[\"{\[\]])",
    re.MULTILINE,
)
# A string reaches to the end if nothing closes it. So no text is searched twice.
TOKEN = re.compile(r'"(?:[^"\\]|\\.)*+(?:"|\Z)|[\[\]{}]', re.DOTALL)
FLAT = re.compile(
    r"(?:\"(?P<key>[^\"{}\[\]\n]{1,80})\"\s*:\s*(?P<list>\[)?\s*)?(?P<object>\{[^{}]*+\})"
)
PAIR = re.compile(
    r"[\s,]*[\"']?(?P<name>[A-Za-z][\w \-]{0,40})[\"']?\s*:\s*"
    r"(?:\"(?P<text>(?:[^\"\\]|\\.|\"(?!\s*(?:,\s*[\"'\w]|,?\s*\}|\Z)))*+)\""
    r"|'(?P<single>(?:[^'\\]|\\.|'(?!\s*(?:,\s*[\"'\w]|,?\s*\}|\Z)))*+)'"
    r"|(?P<plain>[\w.+\-/]{1,40}))",
    re.DOTALL,
)
FUSED = re.compile(r"(entity|relationship)\s?[,;|]\s?(\S.{0,100})", re.IGNORECASE)  # kind and name
TRAILING_COMMA = re.compile(r",(?=\s*[\]}])")


def is_json(text: str) -> bool:
    """Tells whether a reply can be JSON from its beginning to its end."""
    return text.startswith(("{", "[")) and text.endswith(("}", "]")) and _parsed(text) is not None


def take_json(part: Part, *, claims: bool) -> Tuples:
    """Returns all records of a part that are JSON, and the texts around them."""
    found, end = Tuples(), 0
    while beginning := BEGINNING.search(part.text, end):
        start = beginning.end()
        _keep(found, part, end, beginning.start() + beginning[0].startswith((":", "：")))
        end, closed = _end_of(part.text, start)
        value = _parsed(part.text[start:end]) if closed else None
        records, unread = _walked(value, claims=claims)
        if value is None:
            records, unread = _flat(part.text[start:end], claims=claims)
        found.is_empty |= value is not None and _is_empty(value)
        found.records += records
        if text := "\n".join(one for one in unread if one.strip()):
            found.rest.append(Part(text, is_last=False, is_data=True))
    _keep(found, part, end, len(part.text))
    return found


def _keep(found: Tuples, part: Part, start: int, end: int) -> None:
    if part.text[start:end].strip():
        is_last = part.is_last and end == len(part.text)
        found.rest.append(Part(part.text[start:end], is_last, part.is_data))


def _end_of(text: str, start: int) -> tuple[int, bool]:
    """Returns where the brackets that open at `start` are closed, and whether they are."""
    depth = 0
    for token in TOKEN.finditer(text, start):
        if token[0] in "{[":
            depth += 1
        elif token[0] in "}]":
            depth -= 1
            if depth == 0:
                return token.end(), True
    return len(text), False


def _parsed(text: str) -> object:
    """Returns the value of a JSON text, None if it is no valid JSON."""
    for one in (text, TRAILING_COMMA.sub("", text)):
        try:
            value: object = json.loads(one, strict=False)
        except (ValueError, RecursionError):
            continue
        return value
    return None


def _is_empty(value: object) -> bool:
    """Tells whether a list is empty: `[]`, or an object whose lists are empty."""
    inner = [*value.values()] if isinstance(value, dict) else [value]
    return bool(inner) and all(one in ([], {}) for one in inner)


def _walked(value: object, *, claims: bool) -> tuple[list[list[str]], list[str]]:
    """Returns all records in a value, at any depth, and the texts in it that are none."""
    records: list[list[str]] = []
    unread: list[str] = []
    waiting: list[Waiting] = [(value, "", False)]
    while waiting:
        one, kind, is_item = waiting.pop()
        if isinstance(one, dict):
            record, inner = _of_object(one, kind, claims=claims)
        elif isinstance(one, list):
            record, inner = _of_array(one, kind, is_item=is_item, claims=claims)
        else:
            record, inner = None, []
            unread += [one] if isinstance(one, str) else []
        if record:
            records.append(record)
        elif not inner and isinstance(one, dict | list) and one:
            unread.append(json.dumps(one, ensure_ascii=False))
        waiting += reversed(inner)
    return records, unread


# A value, the kind of record that is expected in it, and whether it is an item of an array.
Waiting = tuple[object, str, bool]
Found = tuple[list[str] | None, list[Waiting]]


def _of_object(value: dict[str, Any], kind: str, *, claims: bool) -> Found:
    """Returns the record that an object is, and the values in it that may be records, too."""
    record = named_record(_texts(value), kind, claims=claims)
    inner: list[Waiting] = []
    for key, one in value.items():
        if isinstance(one, dict):
            named = named_record({"name": key, **_texts(one)}, kind, claims=claims)
            unnamed = named_record(_texts(one), kind_named(key), claims=claims) is None
            is_entry = unnamed and not kind_named(key) and named is not None
            entry = {"name": key, **one} if is_entry else one
            inner.append((entry, kind_named(key) or kind, False))
        elif isinstance(one, list) and (record is None or any(isinstance(o, dict) for o in one)):
            inner.append((one, kind_named(key) or kind, False))
        elif isinstance(one, str) and record is None and ("<|" in one or "##" in one):
            inner.append((one, kind, False))
    return record, inner


def _of_array(value: list[Any], kind: str, *, is_item: bool, claims: bool) -> Found:
    """Returns the record that an array of texts is, or its items."""
    if any(isinstance(one, dict | list) for one in value):
        return None, [(one, kind, True) for one in value]
    texts = [_text(one) for one in value]
    if texts and (fused := FUSED.fullmatch(texts[0])):
        texts[:1] = fused.groups()
    if texts and ((claims and len(texts) >= 8) or kind_of(texts[0]) in {"entity", "relationship"}):
        return texts, []
    if kind and is_item and len(texts) >= 3:
        return [kind, *texts], []
    return None, [(one, kind, True) for one in texts]


def _texts(value: Mapping[str, object]) -> dict[str, str]:
    """Returns the fields of an object that are texts, numbers, or lists of these."""
    texts = {}
    for key, one in value.items():
        if isinstance(one, list) and not any(isinstance(o, dict | list) for o in one):
            texts[field_name(key)] = ", ".join(map(_text, one))
        elif not isinstance(one, dict | list):
            texts[field_name(key)] = _text(one)
    return texts


def _text(value: object) -> str:
    return "" if value is None else " ".join(str(value).split())


def _flat(text: str, *, claims: bool) -> tuple[list[list[str]], list[str]]:
    """Returns the records of JSON that is not valid, such as a list that was cut off.

    Each object without others in it is read alone.
    """
    records: list[list[str]] = []
    unread: list[str] = []
    kind, end = "", 0
    for found in FLAT.finditer(text):
        kind = kind_named(found["key"] or "") or kind
        fields = _fields(found["object"])
        record = named_record(fields, kind, claims=claims) if fields else None
        if record is None and found["key"]:
            record = named_record({"name": found["key"], **fields}, kind, claims=claims)
        if record:
            records.append(record)
            unread.append(text[end : found.start()])
            end = found.end()
    return records, [one for one in [*unread, text[end:]] if _says_more(one)]


def _says_more(text: str) -> bool:
    """Tells whether text between objects is more than the structure of JSON."""
    return bool(re.sub(r"\"\w{1,40}\"\s*:\s*\[", "", text).strip("[]{}, \t\n"))


def _fields(text: str) -> dict[str, str]:
    """Returns the texts of a flat object, {} if it can't be read or holds a field twice."""
    value = _parsed(text)
    if isinstance(value, dict):
        return _texts(value)
    fields, end = {}, 1
    for pair in _pairs(text):
        name = field_name(pair["name"])
        if name in fields:
            return {}  # two objects, the brackets between them being lost
        fields[name] = _text(pair["text"] or pair["single"] or pair["plain"])
        end = pair.end()
    return fields if not text[end:].strip("} ,\n\t") else {}


def _pairs(text: str) -> Iterator[re.Match[str]]:
    end = 1
    while pair := PAIR.match(text, end):
        yield pair
        end = pair.end()

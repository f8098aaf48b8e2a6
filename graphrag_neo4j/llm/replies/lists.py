"""Reads the list in a reply: delimited tuples, the form that the prompts ask for, or JSON.

    ("entity"<|>SCROOGE<|>person<|>A miser)##("relationship"<|>…)##<|COMPLETE|>

Models add code fences and prose, forget brackets and marks, break lines inside a record, write
several records in a line, and use another delimiter or HTML entities. The reply is cut where a
record ends or another one begins, and each piece is split into its fields. What may have been meant
as a record and was not read is kept, and counted.
"""

import html
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from graphrag_neo4j.llm.replies.json_values import SYNTAX, TWICE, JSONValues, read_values

FIELDS = {"entity": 4, "relationship": 5}  # without the predicate, which may be missing
FIELDS_OF_CLAIM = 8
OPENING, CLOSING = r"[(\[（［]", r"[)\]）］]"
QUOTES = "\"'“”‘’*_`"
BULLET = r"(?:[-*•+>][ ]|\d{1,4}[.)][ ]|\|[ ]?|\*\*|,)?"
# The delimiter that is asked for, in the spellings that occur in lists only, becomes DELIMITER.
DELIMITER = "<|>"
SPELLINGS = re.compile(r"[<＜]\s?[|｜]{1,2}\s?[>＞]|<SEP>|\$?\{tuple_delimiter\}", re.IGNORECASE)
# Others, in the order in which they are tried. A text may also have them.
OTHERS = (r"<>|<\||\|>", r"\|\|", r"\t", "｜", r"\|", "[;；]")
DELIMITERS = [re.compile(one) for one in (re.escape(DELIMITER), *OTHERS)]
ANY = "|".join(one.pattern for one in DELIMITERS)
IN_NAME = re.compile(r"<\|>|<>|<\||\|>|\|\||\t|｜|(?<!\s)\|")
SCORE = re.compile(r"\W*(?:strength\W*)?\d+(?:\.\d+)?(?:\s?/\s?\d+)?\W*", re.IGNORECASE)
STATUS = r"\W{0,4}(?:TRUE|FALSE|SUSPECTED)\W{0,4}"
IS_STATUS = re.compile(STATUS, re.IGNORECASE)
COMPLETE = re.compile(
    r"[<＜]\s?[|｜]\s?COMPLETE\s?[|｜]?\s?[>＞]?|\$?\{completion_delimiter\}", re.IGNORECASE
)
COMPLETE_BEGUN = re.compile(r"<\|\s?C(?:O(?:M(?:P(?:L(?:ET?)?)?)?)?)?\s*\Z", re.IGNORECASE)
LIST_FENCE = re.compile(r"```\w*[ \t\r]*$|^[ \t]*```", re.MULTILINE)
# The semicolon is required; otherwise "&region" in a URL would become "®ion".
HTML_ENTITY = re.compile(r"&(?:#\d{1,7}|#x[\da-f]{1,6}|\w{1,32});", re.IGNORECASE)
RECORD_MARK = re.compile(r"\$?\{record_delimiter\}|＃＃")
HEADING = re.compile(r"^#{1,6} \w[\w &/]{0,40}:?$", re.MULTILINE)

# What a record begins with: its kind and a name, or the three names and the status of a claim.
NAME = r"[^\n|｜\t;；<＜{]"
KIND = rf"(?:entity|relationship)[{QUOTES}]{{0,4}}\s?({ANY})"
NAMED = rf"{KIND}(?:(?!\#\#){NAME}){{1,300}}+(?:{ANY})"
CLAIM = rf"{NAME}{{1,300}}+(?:{ANY})(?:{NAME}{{0,200}}+(?:{ANY})){{2}}{STATUS}(?:{ANY})"
BEGUN = {
    False: re.compile(NAMED, re.IGNORECASE),
    True: re.compile(rf"(?:{ANY}){STATUS}({ANY})", re.IGNORECASE),
}


def _borders(claims: bool) -> re.Pattern[str]:
    """Returns what stands between records, and the places where one begins."""
    kind, named = (rf"[{QUOTES}]{{0,4}}{one}" for one in (KIND, NAMED))
    start = rf"^{BULLET}|\#\#\s?"
    behind = rf"(?<={CLOSING})[ ,;.|]{{0,3}}"
    marks = rf"""(?<={CLOSING})[ ,;.*]*\n?[ ]?\#\#++ | ^[ ]?\#\#++(?=[ ]?["“(\[（［])
        | (?<!\#)\#\#++[ ]?$
        | (?<={CLOSING})[ ,;.*]*\n\s*{BULLET}(?={OPENING})
        | (?:{start}|{behind})
          (?={OPENING}[{QUOTES}]{{0,2}}\w{{2,20}}[{QUOTES}]{{0,2}}(?:{ANY}))
        | ^{BULLET}(?=\{{\s?["'\w]+\s?:|\[\s?["'{{])"""
    begins = rf"""(?={OPENING}\s?{kind}) | (?:{start}|{behind})(?={named})
        | (?<!{OPENING})(?=["“”]{named})"""
    if claims:
        begins = rf"(?:{start})(?={OPENING}?{CLAIM}) | {behind}(?={OPENING}{CLAIM})"
    return re.compile(rf"{marks} | {begins}", re.IGNORECASE | re.MULTILINE | re.VERBOSE)


BORDERS = {claims: _borders(claims) for claims in (False, True)}
RECORD_START = re.compile(rf"[\s#]*{BULLET}\s*(?:[\[［]\s*(?=[(（]))?(?P<bracket>{OPENING})?\s*")
# A bracket, and whether the line ends behind it.
BRACKET = re.compile(r"[(\[（［]|[)\]）］](?P<ends>(?=[)\]）］ ,;.*#]{0,20}+(?:\n|\Z)))?")

# What prose hardly has, and a record in an unknown form has.
LIKE_RECORD = re.compile(
    rf"[^\n]*(?:{ANY.replace('|[;；]', '')}|->|→|[\"'][\w ]{{1,40}}[\"']\s?:)"
    rf"|\W{{0,6}}(?i:entity|relationship|claim)\b\W|\s?{BULLET}[(\[{{（［]\s?\S+\s\S+\s\S"
    r"|\s?(?:[-*•+]\s|\d{1,4}[.)]\s)\S.{8}"
    r"|\W{0,3}(?i:name|subject|(?:entity|claim|source)_?\w*|source|description)\W{0,3}\s?[:=]"
    r"|\W{0,3}[\"'“]?\w[^\"'“”\n,;]{0,60}[\"'”]?\s?[,;，；][^\n]{1,200}[,;，；][^\n]{0,200}[\d)\]]$"
    r"|\W{0,3}[\"'“][^\"'“”\n]{1,80}[\"'”]\s?[,;，；]|[^\n]*\b(?:TRUE|FALSE|SUSPECTED)\b"
)
LETTER = re.compile(r"[^\W_]")
LONGEST_HEADING = 80
FEW = r"(?:(?:additional|further|more|other|new|such|explicit|named|relevant|specific)\s){0,3}"
THINGS = r"(?:entit|relation|claim|record|item|element|thing|fact|statement|information)"
NONE = re.compile(
    rf"""\W*+(?![^\n]*(?:sorry|apolog|can(?:'|’|no)t|unable|as\san\sai|help|assist))(?:
      (?:(?:there\s(?:are|were|is)|i\s(?:have\s)?(?:found|find|see|identified)
         |(?:the|this)\s(?:given\s|provided\s)?(?:passage|text|document|chunk|list)\s\w+)\s)?
      (?:no\s{FEW}(?:and\s|or\s)?{THINGS} | none\b | nothing\b | n/?a\b | nil\b)
    | (?:(?:the|this)\s)?(?:given\s|provided\s)?(?:passage|text|document|chunk)
      \s(?:does\snot|doesn't)\s\w+\s(?:to\s\w+\s)?any
    | all\s[^\n]{{0,80}}?\b(?:already|been)\b
    | keine?\b | rien\b | aucun | ning[uú]n | nessun | nenhum | [没沒]有 | 无 | 無 | なし
    | ありません | 없
    )[^\n]{{0,200}}""",
    re.IGNORECASE | re.VERBOSE,
)


@dataclass(slots=True)
class ReadList:
    """What was read of a reply.

    `records` are lists of fields. `complete` says whether the reply has the completion mark.
    `open` says whether the last record is open: neither its bracket nor a mark after it closes
    it. `unread` holds the texts that may have been meant as records. `is_empty` says that there
    aren't records, because the reply says so or has nothing but the mark.
    """

    records: list[list[str]] = field(default_factory=list)
    complete: bool = False
    open: bool = False
    unread: list[str] = field(default_factory=list)
    is_empty: bool = False


def read_list(reply: str, *, claims: bool = False) -> ReadList:
    """Returns the records of one reply: claims, or entities and relationships.

    >>> read_list('("entity"<|>A<|>person<|>Tall)##("entity"|B|person|Short)').records
    [['entity', 'A', 'person', 'Tall'], ['entity', 'B', 'person', 'Short']]
    """
    parts = [COMPLETE_BEGUN.sub("", one) for one in COMPLETE.split(_tidied(reply))]
    found = ReadList(complete=len(parts) > 1)
    says_none = True
    for part in parts:
        values = read_values(part) if JSON_REPLY.match(part) else None
        if values and not (BEGUN[claims].search(part) and SYNTAX in values.odd):
            says_none &= _read_rest(part, found, values, claims=claims)
            continue
        for piece, is_between in _pieces(part, claims=claims):
            fields, rest, is_closed = _record(piece, claims=claims)
            if fields:
                found.records.append(fields)
                found.unread += _joined(piece, fields, claims=claims)
            found.open = bool(fields) and not is_closed and not rest.strip()
            is_record = is_between and not fields
            says_none &= _read_rest(rest, found, claims=claims, is_record=is_record)
    nothing = not (found.records or found.unread)
    found.is_empty = nothing and says_none and (found.complete or bool(parts[0].strip()))
    return found


def _tidied(reply: str) -> str:
    """Removes code fences, decodes HTML entities, and writes marks and white space in one way.

    Tabs remain, because they may be the delimiter.
    """
    text = HTML_ENTITY.sub(lambda found: html.unescape(found[0]), reply)
    text = LIST_FENCE.sub("", text) if "```" in text else text
    text = SPELLINGS.sub(DELIMITER, RECORD_MARK.sub("##", text))
    lines = (
        "\t".join(" ".join(c.split()) for c in one.strip().split("\t")) for one in text.splitlines()
    )
    return HEADING.sub("", "\n".join(line for line in lines if line))


def _pieces(text: str, *, claims: bool) -> Iterator[tuple[str, bool]]:
    """Yields the parts that hold one record each, or none, and whether two marks enclose them."""
    start, was_mark = 0, False
    for border in BORDERS[claims].finditer(text):
        is_mark = "##" in border[0]
        yield text[start : border.start()], was_mark and is_mark
        start, was_mark = border.end(), is_mark
    yield text[start:], was_mark


def _record(piece: str, *, claims: bool) -> tuple[list[str], str, bool]:
    """Returns the fields of a record, the text behind it, and whether the record is closed.

    There are no fields if the piece is no record.
    """
    begins = RECORD_START.match(piece)
    body = piece[begins.end() if begins else 0 :].rstrip()
    bracket = begins["bracket"] if begins else None
    body = body if bracket else body.rstrip("| ")
    for delimiter in DELIMITERS:
        first = delimiter.search(body)
        is_asked = delimiter is DELIMITERS[0]
        if first is None or not (is_asked or claims or kind_of(body[: first.start()]) in FIELDS):
            continue
        last = max(one.end() for one in delimiter.finditer(body))
        end = _closing(body, last)
        fields = _split(body[:end], delimiter, claims=claims)
        if claims and not is_asked and not _is_claim(fields):
            continue
        lines = fields[-1].split("\n")
        fields = [_unquoted(" ".join(one.split())) for one in fields]
        kind = kind_of(fields[0])
        whole = FIELDS_OF_CLAIM if claims else FIELDS.get(kind, 4)
        is_closed = end is not None or (not bracket and len(fields) >= whole)
        # Behind a record that nothing closes, a line may be a record in another form.
        after = [one for one in lines[1:] if LIKE_RECORD.match(one)]
        rest = "\n".join(after) if end is None else body[end + 1 :]
        return [kind if kind in FIELDS else fields[0], *fields[1:]], rest, is_closed
    return [], piece, True


def kind_of(field: str) -> str:
    return field.strip(QUOTES + " \n([（").casefold()


def _closing(body: str, last: int) -> int | None:
    """Returns the place of the bracket that closes a record: the last one that closes no other.

    It stands behind the last delimiter, at the end of a line.
    """
    depth, place = 0, None
    for one in BRACKET.finditer(body, last):
        if one[0] in "([（［":
            depth += 1
        elif depth:
            depth -= 1
        elif one["ends"] is not None:
            place = one.start()
    return place


def _split(body: str, delimiter: re.Pattern[str], *, claims: bool) -> Sequence[str]:
    """Splits a record. A delimiter that other texts have, too, may stand in the last fields."""
    fields = delimiter.split(body)
    kind = kind_of(fields[0])
    wanted = FIELDS_OF_CLAIM if claims else FIELDS.get(kind, 0)
    if delimiter is DELIMITERS[0]:
        loose = IN_NAME.split(body)  # a delimiter that is damaged
        more = kind == "relationship" and has_predicate(loose)
        is_whole = kind == "entity" or more or SCORE.fullmatch(loose[-1]) or _is_claim(loose)
        return loose if len(fields) < len(loose) == wanted + more and is_whole else fields
    if claims:
        return delimiter.split(body, maxsplit=FIELDS_OF_CLAIM - 1 + (kind == "claim"))
    if len(fields) <= wanted:
        return fields
    *first, text = delimiter.split(body, maxsplit=3)
    behind = 2 if has_predicate(fields) else 1 if SCORE.fullmatch(fields[-1]) else 0
    if kind == "relationship" and behind:
        mark = list(delimiter.finditer(text))[-behind]
        return [*first, text[: mark.start()], *fields[-behind:]]
    return [*first, text]


def has_predicate(fields: Sequence[str]) -> bool:
    """Returns whether a relationship ends with a predicate, and not with its strength.

    The predicate stands behind the strength, because a strength is the only field that shows what
    it is: a description may hold delimiters, so a number of fields would not tell the two forms
    apart. A relationship that ends with a strength has no predicate, whatever stands before.
    """
    is_longer = len(fields) > FIELDS["relationship"]
    return is_longer and bool(SCORE.fullmatch(fields[-2])) and not SCORE.fullmatch(fields[-1])


def _is_claim(fields: Sequence[str]) -> bool:
    named = len(fields) > FIELDS_OF_CLAIM and kind_of(fields[0]) in {"claim", ""}
    return len(fields) >= FIELDS_OF_CLAIM and IS_STATUS.fullmatch(fields[3 + named]) is not None


def _unquoted(field: str) -> str:
    pair = field[:1] + field[-1:]
    is_quoted = len(field) > 1 and pair in {'""', "''", "“”", "‘’"} and field[0] not in field[1:-1]
    return field[1:-1].strip() if is_quoted else field


def _joined(piece: str, fields: Sequence[str], *, claims: bool) -> list[str]:
    """Returns the texts of records that follow another one with no border between them.

    They show by their kinds or states, or by more fields than a record has.
    """
    whole = FIELDS_OF_CLAIM if claims else FIELDS.get(fields[0], 4)
    whole += fields[0] == "relationship" and has_predicate(fields[: whole + 1])
    over = len(fields) - whole
    step = 7 if claims else 3 if fields[0] in FIELDS else 2
    ends = range(len(fields) - over, len(fields), step) if over > 2 else ()
    begun = BEGUN[claims].findall(piece)
    same = [one for one in begun if one == DELIMITER] if DELIMITER in begun else begun
    return max(same[1:], [" ".join(fields[at : at + step]) for at in ends], key=len)


def _read_rest(
    text: str,
    found: ReadList,
    values: JSONValues | None = None,
    *,
    claims: bool,
    is_record: bool = False,
) -> bool:
    """Reads text that is no tuple. Returns whether all it says is that there is nothing to list.

    `values` are those of a text that is JSON. `is_record` says that it stands between two marks.
    """
    if begins := JSON_IN_TEXT.search(text):
        inside = text[begins.start() :]
        around = _read_json(inside, values or read_values(inside), found, claims=claims)
        text = text if around is None else "\n".join([text[: begins.start()], *around])
    parts = (one.strip(" ,") for line in text.split("\n") for one in line.split("##"))
    said = [line for line in parts if not _is_noise(line)]
    other = [line for line in said if not NONE.fullmatch(line.strip(" *_`#-•"))]
    if is_record and other:
        found.unread.append(" ".join(other))
    else:
        found.unread += [line for line in other if LIKE_RECORD.match(line)]
    return not other


def _is_noise(line: str) -> bool:
    """Returns whether a line has no word, or is a heading of a list."""
    plain = line.strip(" *_`")
    is_heading = plain.endswith((":", "：")) or line.startswith(("# ", "## ", "### ", "**"))
    is_heading &= len(plain) <= LONGEST_HEADING and not re.search(ANY, line)
    return is_heading or not LETTER.search(line)


# JSON. Its objects are mapped by the names of their fields: "entity_name" and "Name" are one.
JSON_REPLY = re.compile(
    r"\s*(?:\{\s*[\"'\w{}]|\[\s*(?:\"[^\"\n]{0,99}\"\s*[,\]]|'[^'\n]{0,99}'\s*[,\]]|[{\[\]]))"
)
JSON_IN_TEXT = re.compile(
    r"\{\s*[\"']?\w[\w ]{0,40}[\"']?\s*:|^\W{0,4}[\[{]\s*[\"'{\[\]}]", re.MULTILINE
)
JSON_RECORD = re.compile(r"[\[{]\s*(?![\"']?\w+[\"']?\s*:\s*[\[{])[\"'\w]")
PREFIX = re.compile(r"^(?:entity|relationship|claim)_(?=[a-z])|_(?:entity|name|text|id)$")
NAMES_OF_FIELDS: Mapping[str, Sequence[Sequence[str]]] = {
    "claim": (
        ("subject", "entity"), ("object",), ("type", "category"), ("status",),
        ("start_date", "start", "date"), ("end_date", "end"), ("description", "claim"),
        ("source", "quote", "evidence"),
    ),
    "relationship": (
        ("source", "from", "subject", "head"), ("target", "to", "object", "tail"),
        ("description", "relationship", "relation", "type"), ("strength", "weight", "score"),
        ("predicate",),
    ),
    "entity": (("name", "entity", "title", "id"), ("type", "category"), ("description", "summary")),
}  # fmt: skip
NEEDED = {"claim": (0, 6), "relationship": (0, 1), "entity": (0,)}


def _read_json(text: str, values: JSONValues, found: ReadList, *, claims: bool) -> list[str] | None:
    """Adds the records of JSON. Returns the texts around it, or None if it isn't a list at all."""
    records, unread = list[list[str]](), list[str]()
    for value in values.values:
        _collect(value, records, unread, claims=claims)
    if not records and (unread or values.open or not values.values):
        return None
    found.records += records
    found.unread += [*unread, *(["the end of a list in JSON"] if values.open else [])]
    if {SYNTAX, TWICE} & set(values.odd):  # the repair may have joined records, or left some out
        begun = len(JSON_RECORD.findall(text)) - len(records) - len(found.unread)
        found.unread += ["a record in JSON that is not valid"] * begun
    return values.around


def _collect(value: object, records: list[list[str]], unread: list[str], *, claims: bool) -> None:
    """Collects the records in a value, at any depth, and the texts in it that are none."""
    record: list[str] | None = None
    inner: list[object] = []
    if isinstance(value, dict):
        record = _mapped(value, claims=claims)
        inner = [one for one in value.values() if isinstance(one, dict | list)]
    elif isinstance(value, list) and value:
        inner = value
        if not any(isinstance(one, dict | list) for one in value):
            texts = list(map(_text, value))
            is_record = _is_claim(texts) if claims else kind_of(texts[0]) in FIELDS
            record = texts if is_record else None
    if record:
        records.append(record)
        return
    for one in inner:
        _collect(one, records, unread, claims=claims)
    if not inner and value not in ({}, []):
        unread.append(_text(value)[:200])


def _mapped(value: Mapping[str, object], *, claims: bool) -> list[str] | None:
    """Returns the record that an object is, None if it is none."""
    given = {
        PREFIX.sub("", re.sub(r"[\W_]+", "_", name[:60].casefold())): _text(one)
        for name, one in value.items()
        if not isinstance(one, dict) and str(one).casefold() not in FIELDS
    }
    for kind in ("claim",) if claims else ("relationship", "entity"):
        names = NAMES_OF_FIELDS[kind]
        fields = [next((given[one] for one in each if one in given), None) for each in names]
        if all(fields[at] is not None for at in NEEDED[kind]) and sum(map(bool, fields)) > 1:
            # Nothing stands behind a gap there.
            ends = None in fields[3:] and kind == "relationship"
            texts = [one or "" for one in (fields[: fields.index(None, 3)] if ends else fields)]
            return texts if claims else [kind, *texts]
    return None


def _text(value: object) -> str:
    if isinstance(value, list):
        return ", ".join(map(_text, value))
    return "" if value is None else " ".join(str(value).split())

"""Reads text files: plain text, Markdown and reStructuredText as they are, csv and json by rows.

The encoding is that of the byte order mark, else UTF-8, else the best fit. Latin letters are
decided here, by the alphabets of the languages that are written with them: the same byte is "ï" in
one encoding and "ļ" in another, but only one of the two makes words of a language whose other
letters are also there. charset-normalizer decides all other scripts.
"""

import csv
import json
import re
from codecs import BOM_UTF16_BE, BOM_UTF16_LE, BOM_UTF32_BE, BOM_UTF32_LE, getincrementaldecoder
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from textwrap import shorten
from typing import TextIO

from graphrag_neo4j.errors import InputError
from graphrag_neo4j.model import Document, Scalar
from graphrag_neo4j.settings import MAX_FILE_MB
from graphrag_neo4j.text.files import KeyCounts

MEGABYTE = 1_000_000
LARGEST_PART = 10_000_000  # characters of a document of a text file; no usual book has so many
# The bytes of a file's limit that a tag of HTML or XML counts for. In memory it takes several times
# as much, but so does a value of json.
TAG_BYTES = 100
TableRow = Mapping[str, object]


@dataclass(frozen=True, slots=True)
class ReadOptions:
    """The options for reading files.

    The columns are those of csv and json files. Without `title_column`, a column "title" is used if
    it exists; without `id_column`, a row is identified by its content. Sources are relative to
    `source_root` if it is given. Symbolic links that lead out of a folder are followed only with
    `follow_links`. `encoding` is that of text files that are not UTF-8; without it, it is guessed.
    `max_file_mb`, in megabytes, replaces the setting KG_MAX_FILE_MB. Raises InputError if there is
    no such encoding.
    """

    text_column: str = "text"
    title_column: str | None = None
    id_column: str | None = None
    source_root: Path | None = None
    follow_links: bool = False
    encoding: str | None = None
    max_file_mb: int | None = None

    def __post_init__(self) -> None:
        try:
            b"a".decode(self.encoding or UTF8)  # Python does not look at the name for no bytes
        except UnicodeDecodeError:
            return
        except (LookupError, ValueError):
            raise InputError(
                f"There is no encoding {self.encoding!r}: cp1252 is one, for example."
            ) from None

    @property
    def max_bytes(self) -> int:
        """The largest number of bytes of a file that is read as a whole, unpacked if packed."""
        return (self.max_file_mb or MAX_FILE_MB) * MEGABYTE

    def refuse_larger(self, n_bytes: int, does: str) -> None:
        """Raises InputError for a file of more bytes than the limit; `does` is the verb."""
        if n_bytes > self.max_bytes:
            raise InputError(
                f"{does} {n_bytes / MEGABYTE:,.0f} MB, more than the limit of "
                f"{self.max_bytes // MEGABYTE:,} MB: KG_MAX_FILE_MB sets another"
            )


@dataclass(frozen=True, slots=True)
class Unreadable:
    """A source that gave no document, and the reason.

    `source` is that of a file, or the path of a folder. `reason` is the end of a sentence that
    follows the source; it names the row if it concerns one row alone.
    """

    source: str
    reason: str


@dataclass(frozen=True, slots=True)
class File:
    """A file to read. `guessed` gets the encoding of a file that is not UTF-8."""

    path: Path
    options: ReadOptions
    guessed: Callable[[str], None]

    def open(self, newline: str | None = None) -> TextIO:
        """Opens the file as text; `newline` is that of Python's `open`.

        Raises InputError if no encoding fits, and OSError.
        """
        encoding = _encoding_in(self.path, self.options.encoding)
        if encoding is None:
            raise InputError(
                "is not text in UTF-8, nor in an encoding that can be recognised: save it as "
                "UTF-8, or name its encoding by --encoding"
            )
        if encoding not in (UTF8, self.options.encoding):
            self.guessed(encoding)
        return self.path.open(encoding=encoding, newline=newline)

    def parts(self) -> Iterator[str]:
        """The text with line feeds as line ends, in parts of at most LARGEST_PART characters.

        A part ends after a paragraph, or else after a line or a word, or anywhere. White space
        after the last part is left out. Raises as `open` does, and UnicodeError; both before the
        first part is given, so that a text is read as a whole or not at all.
        """
        with self.open() as file:
            held = file.read(LARGEST_PART + 1)
            if long := len(held) > LARGEST_PART:
                with self.path.open(encoding=file.encoding) as again:
                    while again.read(MEGABYTE):  # it is in this encoding to its end
                        pass
            while len(held) > LARGEST_PART:
                half = LARGEST_PART // 2
                ends = (held.rfind(x, half, LARGEST_PART) + len(x) for x in ("\n\n", "\n", " "))
                end = next((end for end in ends if end > half), LARGEST_PART)
                yield held[:end]
                held = held[end:] + file.read(LARGEST_PART + 1 - len(held) + end)
            if not long or held.strip():
                yield held

    def text_to_parse(self) -> str:
        """The text of a file that is parsed as a whole.

        Raises as `parts` does, and InputError if the file is larger than the limit.
        """
        self.options.refuse_larger(self.path.stat().st_size, "holds")
        return "".join(self.parts())


# Encodings

UTF8 = "utf-8-sig"  # a byte order mark is not text
BLOCK = 1 << 20
# The mark of UTF-32 in little-endian order begins with that of UTF-16.
MARKED = {
    BOM_UTF32_LE: "utf_32",
    BOM_UTF32_BE: "utf_32",
    BOM_UTF16_LE: "utf_16",
    BOM_UTF16_BE: "utf_16",
}
# NUL, and the shift to Japanese in ISO-2022-JP: possible in UTF-8, but signs of other encodings.
SUSPECT = {b"\0": ("utf_16_le", "utf_16_be", "utf_32_le", "utf_32_be"), b"\x1b$": ("iso2022_jp",)}
OTHER_SCRIPTS = (
    *("cp1251", "koi8_r", "iso8859_5", "cp866", "cp1253", "iso8859_7", "cp1255", "cp1256"),
    *("cp874", "cp932", "euc_jp", "gb18030", "big5", "cp949"),
)
# The letters beyond ASCII of each language, and the encodings that they are written in.
WESTERN = (
    *("àâæçéèêëîïôœùûüÿ", "äöüß", "áéíóúüñ", "áâãàçéêíóôõúü", "àèéìîòóù", "æøåéèêóòôäöü"),
    *("åäöéü", "éëïóöüèêáç", "áðéíóúýþæö", "àçéèíïóòúü", "àèìòùáéíóú", "äöõüšž", "ëç"),
)
CENTRAL = ("áčďéěíňóřšťúůýž", "áäčďéíĺľňóôŕšťúýž", "áéíóöőúüű", "ąćęłńóśźż", "ăâîşţșț", "čćđšž")
LATIN = {
    "cp1252": WESTERN,
    "cp1250": CENTRAL,
    "iso8859_2": CENTRAL,
    "cp1254": ("çğıöşüâîû",),
    "cp1257": ("ąčęėįšųūž", "āčēģīķļņšūž", "äöõüšž"),
    "mac_roman": WESTERN,
    "cp850": WESTERN,
    "cp852": CENTRAL,
}
MIXTURE = {"cp1252": ("".join(WESTERN),)}
SIGNS = "“”„‘’‚‹›«»–—…¿¡°§£€©®™•·ºª½¼¾×±²³´\xa0\xad"
# A word of several letters, some of which are not ASCII.
WORD_BEYOND_ASCII = re.compile(r"[^\W\d_]+[^\W\d_\x00-\x7f][^\W\d_]*|[^\W\d_\x00-\x7f][^\W\d_]+")
SURE = 0.9  # share of the letters beyond ASCII that one alphabet has
MIXED = 0.3  # share of ASCII letters in Latin words that also have others


def _encoding_in(path: Path, named: str | None) -> str | None:
    """The encoding of a text file; `named` is that of files that are not UTF-8, if known.

    None if no encoding fits the bytes. Raises OSError.
    """
    decoder = getincrementaldecoder("utf-8")()
    valid, sample, before = True, b"", b""
    with path.open("rb") as file:
        while valid and (block := file.read(BLOCK)):
            if not before and (marked := next(filter(block.startswith, MARKED), None)):
                return MARKED[marked]
            try:
                decoder.decode(block, final=len(block) < BLOCK)
            except UnicodeDecodeError:
                valid = False
            if not sample and (not valid or any(sign in block for sign in SUSPECT)):
                # Lines that are whole have whole characters.
                sample = before[-BLOCK // 4 :].partition(b"\n")[2] + block
                if len(block) == BLOCK:
                    sample = sample.rpartition(b"\n")[0] or sample
            before = block
    if not sample:
        return UTF8
    return named or _guess(sample) or (UTF8 if valid else None)


def _guess(sample: bytes) -> str | None:
    """The Latin encoding in which words have letters of one language, else what is detected.

    If there is none, a mixture of western languages is assumed where words look Latin.
    """
    for sign, encodings in SUSPECT.items():
        if sign in sample:
            return _detected(sample, encodings)
    words = "".join(WORD_BEYOND_ASCII.findall(sample.decode("cp1252", "replace")))
    if sum(map(str.isascii, words)) >= MIXED * len(words):  # they look Latin
        for group in (LATIN, MIXTURE):
            shares = {name: _share(sample, name, letters) for name, letters in group.items()}
            best = max(shares, key=lambda name: shares[name])
            if shares[best] >= SURE:
                return best
    return _detected(sample, OTHER_SCRIPTS)


def _detected(sample: bytes, among: Sequence[str]) -> str | None:
    """The encoding that charset-normalizer finds."""
    from charset_normalizer import from_bytes  # noqa: PLC0415 - rarely needed

    best = from_bytes(sample, cp_isolation=[*among]).best()
    return best.encoding if best and best.encoding in among else None


def _share(sample: bytes, encoding: str, alphabets: Collection[str]) -> float:
    """The share (0 to 1) of usual signs and letters of one alphabet among non-ASCII characters."""
    try:
        text = sample.decode(encoding)
    except UnicodeDecodeError:
        return 0.0
    beyond = Counter(character.lower() for character in text if not character.isascii())
    usual = max(sum(beyond[one] for one in {*alphabet, *SIGNS}) for alphabet in alphabets)
    return usual / max(beyond.total(), 1)


# Plain text


def read_text(file: File, source: str) -> Iterator[Document]:
    """Gives the text as it is, in one document or, if it is very long, in one for each part.

    The title is the first heading. The first part has the source of the file, so a text that grows
    beyond one part keeps it. Raises InputError if no encoding fits, OSError and UnicodeError.
    """
    title = ""
    for number, text in enumerate(file.parts(), 1):
        if number == 1:
            heading = TEXTS[file.path.suffix.lower()]
            found = heading.search(text) if heading else None
            title = str(found[1] or found[2]).strip() if found else file.path.name
            if found and found[0].startswith("#"):  # as in "# Title #"
                title = title.rstrip("# \t") or title
            yield Document(text, source, title)
        else:
            part = f"{source}#part-{number}"
            yield Document(text, part, f"{title}, part {number}", {"part": number})


TEXTS: Mapping[str, re.Pattern[str] | None] = {
    ".txt": None,
    ".md": re.compile(r"^#{1,6}[ \t]++(.+)$|^(\S.*)\n=+[ \t]*$", re.MULTILINE),
    ".rst": re.compile(r"^(\S.*)\n([=\-~^\"'`#*+.:_])\2{2,}[ \t]*$", re.MULTILINE),
}
"""By suffix: what is a heading."""


# Rows

NAMED = 100  # unusable rows of a file that are named; the others are only counted
ALONE = "its object"
DELIMITERS = ",;\t|"
LARGEST_LIMIT = 2**31 - 1  # bytes of a csv field; Python's default is 128 KiB


def read_rows(file: File, source: str) -> Iterator[Document | Unreadable]:
    """Gives a document for each row of a file while it is read (json: after parsing all of it).

    A row without an id is identified by a hash of its content; equal rows get "-2" and so on. A
    blank text gives a document without text. A json file that is one object is identified by the
    name of the file. Raises InputError if the file as a whole can't be used, OSError and
    UnicodeError.
    """
    options, seen, unusable = file.options, KeyCounts(), 0
    for place, row in ROWS[file.path.suffix.lower()](file):
        try:
            alone = place == ALONE and options.id_column is None
            document = _document(row, source, options, seen, alone=alone)
        except InputError as error:
            unusable += 1
            if unusable <= NAMED:
                yield Unreadable(source, f"{place} {error}")
        else:
            yield document
    if unusable > NAMED:
        yield Unreadable(source, f"and {unusable - NAMED:,} more rows can't be used")


def metadata_of(row: TableRow, taken: Collection[str | None]) -> dict[str, Scalar]:
    """The metadata of a row: its values without `taken` columns and empty ones.

    An integer of more than 64 bits, which Neo4j can't store, becomes a text, and so does a list.
    """
    return {
        name: value
        if isinstance(value, str | bool | float) or (isinstance(value, int) and abs(value) < 2**63)
        else _string(value)
        for name, value in row.items()
        if name not in taken and value not in (None, "")
    }


def _csv_rows(file: File) -> Iterator[tuple[str, object]]:
    csv.field_size_limit(min(file.options.max_bytes, LARGEST_LIMIT))  # of the whole process
    with file.open(newline="") as text:
        delimiter = _delimiter(text, file.options)
        rows = csv.reader(_limited(text, file.options), delimiter=delimiter, strict=True)
        try:
            header = next(rows)
            for number, row in enumerate(filter(None, rows), 1):
                # Not DictReader: it names each column for a short row.
                cells = zip(header, row, strict=False)
                if len(row) > len(header):
                    yield f"row {number}", InputError("has more fields than there are columns")
                else:  # a column without a name is the index that pandas writes
                    yield f"row {number}", {name: value for name, value in cells if name}
        except csv.Error as error:
            raise InputError(f"is not a usable csv at line {rows.line_num}: {error}") from error


def _limited(text: TextIO, options: ReadOptions) -> Iterator[str]:
    """The lines of a file. Raises InputError for a line that is longer than the limit."""
    number = 0
    while line := text.readline(options.max_bytes + 1):
        number += 1
        options.refuse_larger(len(line), f"line {number} holds")
        yield line


def _delimiter(file: TextIO, options: ReadOptions) -> str:
    """The first delimiter with which the header has the wanted columns."""
    wanted = {options.text_column, options.title_column, options.id_column} - {None}
    headers = []
    for delimiter in DELIMITERS:
        file.seek(0)
        header = next(csv.reader(_limited(file, options), delimiter=delimiter), [])
        file.seek(0)
        if wanted.issubset(header):
            for name, count in Counter(filter(None, header)).items():
                if count > 1:
                    raise InputError(f"has {count} columns {name}: rename all but one")
            return delimiter
        headers.append(header)
    header = max(headers, key=len)
    missing = sorted(str(name) for name in wanted - {*header})
    hint = ": name the one with the text by --text-column" if options.text_column in missing else ""
    names = shorten(", ".join(header), 200)
    raise InputError(f"has no column {', '.join(missing)}; its columns are {names}{hint}")


def _json_rows(file: File) -> Iterator[tuple[str, object]]:
    parsed = _parsed(file.text_to_parse())
    if isinstance(parsed, InputError):
        raise parsed
    if isinstance(parsed, list):
        yield from ((f"item {number}", item) for number, item in enumerate(parsed, 1))
    elif isinstance(parsed, dict) and (column := file.options.text_column) not in parsed:
        raise InputError(
            f"has no column {column}, so it holds no document: --text-column names another column"
        )
    else:
        yield ALONE, parsed


def _jsonl_rows(file: File) -> Iterator[tuple[str, object]]:
    with file.open() as text:
        for number, line in enumerate(_limited(text, file.options), 1):
            if line.strip():
                yield f"line {number}", _parsed(line)


def _parsed(text: str) -> object:
    """The value of a text in JSON, or an InputError. NaN and Infinity become null."""
    try:
        return json.loads(text, parse_constant=lambda _: None)
    except (ValueError, RecursionError) as error:
        return InputError(f"is not JSON: {error}")


ROWS: Mapping[str, Callable[[File], Iterator[tuple[str, object]]]] = {
    ".csv": _csv_rows,
    ".json": _json_rows,
    ".jsonl": _jsonl_rows,
}
"""By suffix: a function that lists the rows, or what is wrong with one, with their places."""


def _document(
    row: object, source: str, options: ReadOptions, seen: KeyCounts, *, alone: bool
) -> Document:
    """The document of a row; one that is `alone` in its file has the source of the file."""
    if isinstance(row, InputError):
        raise row
    if not isinstance(row, dict):
        raise InputError("is not a JSON object")
    if options.id_column is None:
        name = sha256(json.dumps(row, sort_keys=True).encode()).hexdigest()[:32]
        times = seen.add(name)
        name += f"-{times}" if times > 1 else ""
    elif not (name := _string(_value(row, options.id_column))):
        raise InputError(f"has nothing in its column {options.id_column}")
    elif seen.add(name) > 1:
        raise InputError(f"repeats the id {name}")
    text = _value(row, options.text_column)
    if not isinstance(text, str | None):
        raise InputError(f"has no text in its column {options.text_column}")
    title = _value(row, options.title_column) if options.title_column else row.get("title")
    taken = {options.text_column, options.title_column or "title", options.id_column}
    place = source if alone else f"{source}#{name}"
    return Document(text or "", place, _string(title), metadata_of(row, taken))


def _value(row: TableRow, column: str) -> object:
    if column not in row:
        raise InputError(f"has no column {column}")
    return row[column]


def _string(value: object) -> str:
    if value is None or isinstance(value, str):
        return value or ""
    return json.dumps(value, ensure_ascii=False, default=str)

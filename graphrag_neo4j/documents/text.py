"""Opens files as text in their encoding, and reads plain text and reStructuredText as they are.

The encoding is that of the byte order mark, else UTF-8, else the best fit. A text that is UTF-8 but
for a few bytes is UTF-8: it was cut, or parts of it come from elsewhere. Latin letters are
decided here, by the alphabets of the languages that are written with them: the same byte is "ï" in
one encoding and "ļ" in another, but only one of the two makes words of a language whose other
letters are also there. charset-normalizer decides all other scripts.
"""

import re
from codecs import BOM_UTF16_BE, BOM_UTF16_LE, BOM_UTF32_BE, BOM_UTF32_LE, getincrementaldecoder
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import NamedTuple, TextIO

from graphrag_neo4j.documents.parts import part_label
from graphrag_neo4j.errors import InputError
from graphrag_neo4j.model.types import Document, Part
from graphrag_neo4j.settings.reading import MEGABYTE, ReadOptions

READ_AS = "not in UTF-8, and read as"
NAME_IT = "name the right encoding by --encoding"
LARGEST_PART = 10_000_000  # characters of a document of a text file; no usual book has so many
# The bytes of a file's limit that a tag of HTML or XML counts for. In memory it takes several times
# as much, but so does a value of json.
TAG_BYTES = 100


@dataclass(frozen=True, slots=True)
class Unreadable:
    """A source that gave no document, and the reason.

    `source` is that of a file, or the path of a folder. `reason` is the end of a sentence that
    follows the source; it names the row if it concerns one row alone.
    """

    source: str
    reason: str


class Remark(NamedTuple):
    """What users are told about how a file was read, although it was read.

    `sentence` follows the names of the files that it is true of, without a full stop. In it, "{n}"
    stands for the sum of their `n`.
    """

    sentence: str
    n: int = 0


@dataclass(frozen=True, slots=True)
class File:
    """A file to read. `remark` gets what is to be told about it."""

    path: Path
    options: ReadOptions
    remark: Callable[[Remark], None] = lambda _: None

    @property
    def suffix(self) -> str:
        """The suffix, in lower case."""
        return self.path.suffix.lower()

    def tell(self, n: int, sentence: str) -> None:
        """Remarks on a number of things, if there are any."""
        if n > 0:
            self.remark(Remark(sentence, n))

    def open(self, newline: str | None = None) -> TextIO:
        """Opens the file as text; `newline` is that of Python's `open`.

        Raises InputError if no encoding fits, and OSError.
        """
        encoding, flawless = _encoding_in(self.path, self.options.encoding)
        if encoding is None:
            raise InputError(
                "is not text in UTF-8, nor in an encoding that can be recognised: save it as "
                "UTF-8, or name its encoding by --encoding"
            )
        if encoding not in (UTF8, self.options.encoding):
            self.remark(Remark(f"{READ_AS} {encoding}; if that is wrong, {NAME_IT}"))
        if flawless:
            return self.path.open(encoding=encoding, newline=newline)
        with self.path.open(encoding=encoding, errors="replace") as file:
            tell_flaws(
                encoding, sum(map(flaws, iter(partial(file.read, MEGABYTE), ""))), self.remark
            )
        return self.path.open(encoding=encoding, errors="replace", newline=newline)

    def parts(self) -> Iterator[str]:
        """The text with line feeds as line ends, in parts of at most LARGEST_PART characters.

        A part ends after a paragraph, or else after a line or a word, or anywhere. White space
        after the last part is left out. Raises as `open` does, and UnicodeError; both before the
        first part is given, so that a text is read as a whole or not at all.
        """
        with self.open() as file:
            held = file.read(LARGEST_PART + 1)
            if long := len(held) > LARGEST_PART:
                with self.path.open(encoding=file.encoding, errors=file.errors) as again:
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


@contextmanager
def refuse_broken(kind: str) -> Iterator[None]:
    """Raises InputError for whatever a broken file of this kind makes the libraries raise."""
    try:
        yield
    except (InputError, OSError, MemoryError):
        raise
    except Exception as error:
        raise InputError(f"is not a usable {kind}: {error}") from error


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
USUAL_SIGNS = "“”„‘’‚‹›«»–—…¿¡°§£€©®™•·ºª½¼¾×±²³´µ¥¤\xa0\xad"
# A word of several letters, some of which are not ASCII.
WORD_BEYOND_ASCII = re.compile(r"[^\W\d_]+[^\W\d_\x00-\x7f][^\W\d_]*|[^\W\d_\x00-\x7f][^\W\d_]+")
SURE = 0.9  # share of the letters beyond ASCII that one alphabet has
MIXED = 0.3  # share of ASCII letters in Latin words that also have others


def _encoding_in(path: Path, named: str | None) -> tuple[str | None, bool]:
    """The encoding of a text file, and whether bytes that do not fit it are an error.

    They are none where the encoding is found here. `named` is that of files that are not UTF-8, if
    known. The encoding is None if none fits. Raises OSError.
    """
    decoder = getincrementaldecoder("utf-8")()
    valid, sample, before, block = True, b"", b"", b" "
    with path.open("rb") as file:
        while valid and block:
            block = file.read(BLOCK)
            if not before and (marked := next(filter(block.startswith, MARKED), None)):
                return MARKED[marked], False
            try:
                decoder.decode(block, final=not block)
            except UnicodeDecodeError:
                valid = False
            if not sample and (not valid or any(sign in block for sign in SUSPECT)):
                # Lines that are whole have whole characters.
                begun = before[-BLOCK // 4 :]
                sample = (begun.partition(b"\n")[2] or begun) + block
                if len(block) == BLOCK:
                    sample = sample.rpartition(b"\n")[0] or sample
            before = block
    if not sample:
        return UTF8, True
    if named:
        return named, True
    if not valid and is_mostly_right(sample.decode("utf-8", "replace")):
        return UTF8, False
    return _guess(sample) or (UTF8 if valid else None), False


def flaws(text: str) -> int:
    """The number of signs that stand for bytes that the encoding of a text lacks."""
    return text.count("\ufffd")


def is_mostly_right(text: str) -> bool:
    """Whether half of the signs beyond ASCII could be read."""
    return len(text) - len(text.encode("ascii", "ignore")) >= 2 * flaws(text)


def tell_flaws(encoding: str, n: int, remark: Callable[[Remark], None]) -> None:
    """Remarks on the bytes that an encoding lacks, if there are any."""
    name = "UTF-8" if encoding == UTF8 else encoding
    if n:
        remark(Remark(f"{{n}} bytes that are not {name} were read as \ufffd", n))


def _guess(sample: bytes) -> str | None:
    """The Latin encoding in which words have letters of one language, else what is detected.

    If there is none, a mixture of western languages is assumed where words look Latin.
    """
    for sign, encodings in SUSPECT.items():
        if sign in sample:
            whole = sample[: len(sample) // 4 * 4] if sign == b"\0" else sample
            return _detected(whole or sample, encodings)
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
    usual = max(sum(beyond[one] for one in {*alphabet, *USUAL_SIGNS}) for alphabet in alphabets)
    return usual / max(beyond.total(), 1)


# Plain text

TEXTS = (".txt", ".log", ".rst")
HEADING = re.compile(r"^(\S.*)\n([=\-~^\"'`#*+.:_])\2{2,}[ \t]*$", re.MULTILINE)  # in .rst


def read_text(file: File, source: str) -> Iterator[Document]:
    """Gives the text as it is, in one document or, if it is very long, in one for each part.

    The title is the first heading of reStructuredText, else the name of the file. The first part
    has the source of the file, so a text that grows beyond one part keeps it. Raises InputError if
    no encoding fits, OSError and UnicodeError.
    """
    title, line, levels = "", 1, dict[tuple[str, bool], int]()
    for number, text in enumerate(file.parts(), 1):
        found = [*HEADING.finditer(text)] if file.suffix == ".rst" else []
        about = _sections(found, levels), line
        if number == 1:
            title = found[0][1].strip() if found else file.path.name
            yield Document(text, source, title, {}, None, *about)
        else:
            part, named = f"{source}#part-{number}", f"{title}, part {number}"
            yield Document(text, part, named, {"part": number}, None, *about)
        line += text.count("\n")


def _sections(
    headings: Iterable[re.Match[str]], levels: dict[tuple[str, bool], int]
) -> Sequence[Part]:
    """The parts that begin at headings.

    `levels` has the level of each kind of heading, in the order in which the kinds first occur: by
    the sign of its line, and by whether such a line also stands above it.
    """
    parts, end = list[Part](), 0
    for one in headings:
        above = one.string[end : one.start()][:-1].rpartition("\n")[2].rstrip()
        kind = one[2], len(above) > 2 and not above.strip(one[2])
        level, end = levels.setdefault(kind, len(levels) + 1), one.end()
        if label := part_label(one[1]):
            parts.append(Part(one.start(), label, level))
    return parts

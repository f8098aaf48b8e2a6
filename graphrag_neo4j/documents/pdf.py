"""Reads PDF files, if they contain text, with PDFium.

PDFium gives the characters of a page, each with the box that it stands in. A person sees those in
the crop box only, what is drawn twice once, and the values of a form, which aren't characters.
"""

import logging
import re
import sys
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, suppress
from ctypes import c_ushort
from datetime import date, datetime
from itertools import chain, groupby, pairwise
from math import dist
from statistics import median, median_low
from threading import Lock
from typing import NamedTuple

from pypdfium2 import PdfDocument, PdfiumError, PdfPage, raw

from graphrag_neo4j.documents.parts import PartedText, joined
from graphrag_neo4j.documents.text import File
from graphrag_neo4j.errors import InputError
from graphrag_neo4j.model.types import Document, Part

# pypdfium2 logs oddities of files, and Python would print them where logging is not set up.
logging.getLogger("pypdfium2").addHandler(logging.NullHandler())

ONE_AT_A_TIME = Lock()  # no two threads may be in PDFium
LINE_FEED, LINE_END_HYPHEN = 10, 2  # the latter ends its line, too
PARAGRAPH_GAP = 1.3  # times the usual distance of lines
EDGE = 3  # lines at the top of a page, and at the bottom
RUNNING_SHARE = 0.4  # of the pages: left and right pages may have different running heads
PAGE_END = "\n\n\f"  # no page has a form feed, which is a control character
LONGEST_HEAD = 200  # characters
VALUE_FIELDS = {
    raw.FPDF_FORMFIELD_TEXTFIELD,
    raw.FPDF_FORMFIELD_COMBOBOX,
    raw.FPDF_FORMFIELD_LISTBOX,
}
# The best first.
FIELD_TITLES = (raw.FPDFAnnot_GetFormFieldAlternateName, raw.FPDFAnnot_GetFormFieldName)
HIDDEN_FIELD = raw.FPDF_ANNOT_FLAG_HIDDEN | raw.FPDF_ANNOT_FLAG_NOVIEW
NO_TEXT = re.compile("[\0-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ufeff\ufffe\uffff]")  # control characters
# Ligatures, and the shapes that Hebrew and Arabic letters take within a word.
SHAPES = re.compile("[\ufb00-\ufdcf\ufdf0-\ufdff\ufe70-\ufefc]+")
HYPHENS = str.maketrans("\xad\u2010\u2011", "---")  # a soft hyphen is seen if it is there
BROKEN = re.compile(r"(?<!\w)(\w*[^\W\d_])-\n((\w+)\S*)[ \n]?")
COMPOUNDING = {"all", "cross", "ex", "half", "high", "long", "low", "non", "self", "short", "well"}
PDF_DATE = re.compile(r"D:(\d{8})(\d{6})?([+-]\d\d'?\d\d|Z)?[\d']*")
NO_NAME = re.compile(
    r"untitled\W*\d*|microsoft (word|excel|powerpoint) - .*|(\S+ ){0,2}powerpoint([ -]\S+)?|"
    r"slide \d+|"
    r"\(?(anonymous|unknown|unspecified|none)\)?|title|author|(document|dokument) ?\d*|"
    r".*\.(docx?|od[tps]|rtf|txt|pdf|pptx?|xlsx?|indd|qxd|pmd|fm|tex|dvi|e?ps|html?|cdr|ai)",
    re.IGNORECASE,
)


class Piece(NamedTuple):
    """A character or a line, and where it is seen on its page. `top` is above `bottom`."""

    text: str
    left: float = 0
    bottom: float = 0
    right: float = 0
    top: float = 0


def read_pdf(file: File, source: str) -> Document:
    """Reads the text of the pages, divided by blank lines; title, author and date if present.

    Raises InputError for a file that is encrypted, broken, has no text, like a scan, or has more
    than the limit.
    """
    with ONE_AT_A_TIME:
        try:
            with PdfDocument(file.path) as pdf:
                if pdf.get_formtype() == raw.FORMTYPE_XFA_FULL:
                    raise InputError("is an XFA form, for Adobe's programs: print it into a PDF")
                pdf.init_forms()
                pages = dict(_pages(pdf, file))
                title, author, created = (
                    " ".join(_string(raw.FPDF_GetMetaText, pdf, name).split())
                    for name in (b"Title", b"Author", b"CreationDate")
                )
                file.tell(raw.FPDFDoc_GetAttachmentCount(pdf), "{n} attached files were not read")
        except PdfiumError as error:
            if error.err_code in {raw.FPDF_ERR_PASSWORD, raw.FPDF_ERR_SECURITY}:
                raise InputError("is encrypted: save it without a password") from error
            raise InputError(f"is not a usable PDF: {error}") from error
    texts = zip(pages, _without_heads([*pages.values()], file), strict=True)
    text, parts = _joined({number: text for number, text in texts if text})
    if not text:
        raise InputError("has no text, only images perhaps: run text recognition (OCR) on it")
    if title.casefold() in {file.path.name.casefold(), file.path.stem.casefold()}:
        title = ""
    title, author = ("" if NO_NAME.fullmatch(name) else name for name in (title, author))
    stated = {"author": author, "created": _iso(created)}
    metadata = {name: one for name, one in stated.items() if one}
    return Document(text, source, title, metadata, None, parts, None)


def _string(get: Callable[..., int], *arguments: object) -> str:
    """The text that a function of PDFium writes into a buffer."""
    buffer = (c_ushort * (get(*arguments, None, 0) // 2))()
    get(*arguments, buffer, len(buffer) * 2)
    return "\n".join(_plain(bytes(buffer)).splitlines())


def _plain(text: bytes) -> str:
    """A text in UTF-16 without control characters, with ligatures as letters, and "-" hyphens."""
    found = NO_TEXT.sub("", text.decode("utf-16-le", "replace")).translate(HYPHENS)
    return SHAPES.sub(lambda shapes: unicodedata.normalize("NFKC", shapes[0]), found).strip()


def _iso(stated: str) -> str:
    """A date in the format of PDF as ISO 8601 text; nothing for one in another format."""
    with suppress(ValueError):
        if found := PDF_DATE.fullmatch(stated):
            day, time, zone = found[1], found[2], (found[3] or "").replace("'", "")
            if time:
                return datetime.fromisoformat(f"{day}T{time}{zone}").isoformat()
            return date.fromisoformat(day).isoformat()
    return ""


def _pages(pdf: PdfDocument, file: File) -> Iterator[tuple[int, list[Piece]]]:
    """The number of each page that can be loaded, from 1, and its lines."""
    size = broken = empty = 0
    for number in range(len(pdf)):
        try:
            page = pdf[number]
        except PdfiumError:
            broken += 1
            continue
        with closing(page):
            lines = [*_lines(_signs(page)), *map(Piece, _values(page))]
            empty += not lines and raw.FPDFPage_CountObjects(page) > 0
        size += sum(len(line.text) for line in lines)
        file.options.refuse_larger(size, "has text of")
        yield number + 1, lines
    if broken == len(pdf):
        raise InputError("is not a usable PDF: none of its pages can be loaded")
    file.tell(broken, "{n} pages that can't be loaded were left out")
    file.tell(empty, "{n} pages without text (images perhaps): run text recognition (OCR) on it")


def _signs(page: PdfPage) -> Iterator[Piece]:
    """The characters that are seen, and line feeds."""
    x1, y1, x2, y2 = page.get_bbox()
    box, quarter_turns = raw.FS_RECTF(), page.get_rotation() // 90
    with closing(page.get_textpage()) as text:
        for index in range(text.count_chars()):
            code = raw.FPDFText_GetUnicode(text, index)
            raw.FPDFText_GetLooseCharBox(text, index, box)
            left, bottom, right, top = box.left, box.bottom, box.right, box.top
            inside = x1 <= (left + right) / 2 <= x2 and y1 <= (bottom + top) / 2 <= y2
            if inside and LINE_FEED != code <= sys.maxunicode:
                for _ in range(quarter_turns):
                    left, bottom, right, top = bottom, -right, top, -left
                letter = "-" if code == LINE_END_HYPHEN else chr(code)
                yield Piece(letter, left, bottom, right, top)
            if code in {LINE_FEED, LINE_END_HYPHEN}:
                yield Piece("\n")


def _values(page: PdfPage) -> Iterator[str]:
    """The texts typed onto the page, and the values of its form, with the names of the fields."""
    form = page.formenv
    for index in range(raw.FPDFPage_GetAnnotCount(page)):
        one = raw.FPDFPage_GetAnnot(page, index)
        value = ""
        if raw.FPDFAnnot_GetSubtype(one) == raw.FPDF_ANNOT_FREETEXT:
            value = _string(raw.FPDFAnnot_GetStringValue, one, b"Contents")
        elif form and raw.FPDFAnnot_IsChecked(form, one):
            value = _string(raw.FPDFAnnot_GetFormFieldExportValue, form, one)
        elif form and raw.FPDFAnnot_GetFormFieldType(form, one) in VALUE_FIELDS:
            value = _string(raw.FPDFAnnot_GetFormFieldValue, form, one)
        if value and not raw.FPDFAnnot_GetFlags(one) & HIDDEN_FIELD:
            names = [_string(get, form, one) for get in FIELD_TITLES if form]
            yield ": ".join([*list(filter(None, names))[:1], value])
        raw.FPDFPage_CloseAnnot(one)


def _lines(signs: Iterable[Piece]) -> list[Piece]:
    """The lines, with an empty one where the next is further away than usual.

    A line that is drawn again at nearly the same place, to look bold or as a shadow, is there once.
    """
    lines, drawn = list[Piece](), dict[str, Piece]()
    for _, group in groupby(signs, key=lambda sign: sign.text == "\n"):
        held = [*group]
        text = _plain("".join(sign.text for sign in held).encode("utf-16-le", "surrogatepass"))
        if text:
            edges = zip(*(sign[1:] for sign in held if not sign.text.isspace()), strict=True)
            line = Piece(text, *map(median_low, edges))
            before, near = drawn.get(text), (line.top - line.bottom) / 3
            if not before or dist(line[1:], before[1:]) > near:
                lines.append(line)
            drawn[text] = line
    steps = [above.bottom - below.bottom for above, below in pairwise(lines)]
    usual = median([step for step in steps if step > 1] or [0])
    spaced = lines[:1]
    for line, step in zip(lines[1:], steps, strict=True):
        if step > PARAGRAPH_GAP * max(usual, line.top - line.bottom):
            spaced.append(Piece(""))
        spaced.append(line)
    return spaced


def _without_heads(pages: Sequence[Sequence[Piece]], file: File) -> list[str]:
    """The text of each page, without the lines that pages repeat at their top and bottom.

    Such a line is left out if a number in it grows with the pages. Any other is kept once, since it
    may be the only one to say what it says, like the columns of a table.
    """
    heads = [_heads(page, number) for number, page in enumerate(pages)]
    on_pages = Counter(key for page in heads for key in set(chain(*page.values())))
    repeated = {key for key, n in on_pages.items() if n >= max(EDGE, RUNNING_SHARE * len(pages))}
    told, kept = set[str](), list[list[str]]()
    for page, keys in zip(pages, heads, strict=True):
        kept.append([])
        for line in page:
            found = repeated & keys.get(line, set())
            if not found or line.text in found - told:
                kept[-1].append(line.text)
            told |= found
    if not any(map(any, kept)):
        return ["\n".join(line.text for line in page) for page in pages]
    left_out = sum(map(len, pages)) - sum(map(len, kept))
    sentence = "{n} lines that most pages repeat (running heads, page numbers) were left out"
    file.tell(left_out, sentence)
    return [re.sub(r"\n{3,}", "\n\n", "\n".join(lines)).strip("\n") for lines in kept]


def _heads(page: Sequence[Piece], number: int) -> dict[Piece, set[str]]:
    """The lines at the edges of a page, in no larger letters than usual, with their keys.

    A key is equal on all pages: the line itself, or with one number less that of the page.
    """
    lines = sorted((line for line in page if line.text), key=lambda line: line.top)
    usual = median([line.top - line.bottom for line in lines] or [0])
    found = {}
    for line in {*lines[:EDGE], *lines[-EDGE:]}:
        if len(line.text) <= LONGEST_HEAD and line.top - line.bottom <= 1.1 * usual:
            found[line] = {line.text} | {
                f"{line.text[: one.start()]}\n{int(one[0]) - number}\n{line.text[one.end() :]}"
                for one in re.finditer(r"\d{1,9}", line.text)
            }
    return found


def _joined(pages: Mapping[int, str]) -> PartedText:
    """The pages by number as one text, with the words whole that are broken at a line's end.

    A hyphen is kept if the word goes on with a capital or a digit, or if the text has the word with
    a hyphen elsewhere, but never without.
    """
    text = PAGE_END.join(pages.values())
    whole = BROKEN.sub(" ", text).lower()
    words, hyphened = set(re.findall(r"\w+", whole)), set(re.findall(r"\b\w+-\w+", whole))

    def join(found: re.Match[str]) -> str:
        first, rest, second = found.groups()
        bare, with_hyphen = f"{first}{second}".lower(), f"{first}-{second}".lower()
        keep = not second[0].islower() or (bare not in words and with_hyphen in hyphened)
        keep |= found.string[: found.start()].endswith("-") or first.lower() in COMPOUNDING
        return f"{first}{'-' * keep}{rest}\n"

    texts = BROKEN.sub(join, text).strip().split(PAGE_END)
    return joined(
        PartedText(one, [Part(0, f"page {n}")]) for n, one in zip(pages, texts, strict=False)
    )

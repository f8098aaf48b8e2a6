"""Reads HTML: the text that a reader of the page sees, with its blocks as paragraphs."""

import codecs
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from typing import Any, NamedTuple
from warnings import catch_warnings

from bs4 import BeautifulSoup, ParserRejectedMarkup, UnusualUsageWarning
from bs4.builder import HTMLTreeBuilder
from bs4.element import NavigableString, PageElement, RubyParenthesisString, RubyTextString, Tag

from graphrag_neo4j.documents.parts import mark_of, without_marks
from graphrag_neo4j.documents.text import (
    MARKED,
    TAG_BYTES,
    File,
    Remark,
    flaws,
    is_mostly_right,
    tell_flaws,
)
from graphrag_neo4j.errors import InputError
from graphrag_neo4j.model.types import Document, Part
from graphrag_neo4j.settings.reading import ReadOptions
from graphrag_neo4j.text.strings import CODE

# Separators between elements, and a blank that stays; texts do not contain them, because their
# white space is folded.
PARAGRAPH, ITEM, LINE, CELL, BLANK = "\f", "\x1c", "\v", "\t", "\x1f"
SPACE = f" \n{PARAGRAPH}{ITEM}{LINE}{CELL}"
LISTS = ("dir", "menu", "ol", "ul")
HEADINGS = ("h1", "h2", "h3", "h4", "h5", "h6")
BLOCK_TAGS = (
    *HTMLTreeBuilder.DEFAULT_BLOCK_ELEMENTS,
    *LISTS,
    "body",
    "center",
    "details",
    "dialog",
)
EDGES = (
    dict.fromkeys((*BLOCK_TAGS, "hgroup", "legend"), PARAGRAPH)
    | dict.fromkeys(("caption", "dd", "dt", "li", "option", "summary", "text", "tr"), LINE)
    | dict.fromkeys(("td", "th"), CELL)
    | dict.fromkeys(("button", "label"), " ")
)
# What begins something, and what ends it, beside the end of a tag.
MARKUP_ENDS = {"<!--": "-->", "<![CDATA[": "]]>", "<![": "]>", "<": ">"}
CDATA = re.compile(r"<!\[CDATA\[(.*?)\]\]>", re.DOTALL)
# What no browser shows, what stands in for something that it shows, and lists of choices.
DROPPED = {
    *("annotation", "annotation-xml", "audio", "canvas", "datalist", "defs", "desc", "iframe"),
    *("metadata", "noembed", "noframes", "noscript", "script", "select", "style", "symbol"),
    *("template", "title", "video"),
}
UNSEEN_STYLE = re.compile(r"(?i)(^|[;\s])(display\s*:\s*none|visibility\s*:\s*(hidden|collapse))")
INVISIBLE = dict.fromkeys(map(ord, "\xad\u200b\u2060\ufeff"))
OF_CODE = re.compile(r"(?i)\b(highlight|language-|lang-|sourceCode|prettyprint|brush)")
AROUND = frozenset(("head", "html", "[document]"))  # the title of a page
DEEPEST = 9  # levels of lists that are seen as indents
NOT_IN_CELL = frozenset((*HEADINGS, "pre", "table"))
STRINGS = (
    NavigableString,
    RubyParenthesisString,
    RubyTextString,
)  # other classes are comments, scripts and so on
CELLS = ("td", "th")
HEADING_BORDERS = 100  # of blocks in a heading, before its first word
CELL_NODES = 40  # elements and texts of a cell whose blocks become one line

# Declared charsets, by Python's names or their own: as in browsers, some stand for larger ones.
BEGINNING = 10_000  # bytes in which a charset is declared
NO_META = re.compile(rb"(?is)<!--.*?-->|<(script|style)\b.*?</\1>")
CHARSET = re.compile(rb"(?i)<meta\b[^>]*?[\s;\"']charset\s*=[\s\"']*([^\s\"'/>;]+)")
XML_CHARSET = re.compile(rb"(?i)\s*<\?xml\b[^>]*?\bencoding\s*=\s*[\"']([^\"']+)")
LARGER = {
    "cp1252": ("ascii", "iso8859-1"),
    "gb18030": ("gb2312", "gbk"),
    "cp874": ("tis-620", "iso8859-11"),
    "big5hkscs": ("big5",),
    "cp932": ("shift_jis",),
    "cp949": ("euc_kr",),
    "cp1254": ("iso8859-9",),
    "utf-8": ("utf-16", "utf-16-le", "utf-16-be", "utf-32"),  # the declaration could be read
}
LABELS = {  # that Python does not know
    "koi8_r": ("koi", "koi8"),
    "koi8_u": ("koi8-ru",),
    "mac_roman": ("mac", "csmacintosh"),
    "mac_cyrillic": ("mac-ukrainian",),
    "iso8859-8": ("logical", "visual"),
    "latin9": ("csisolatin9",),
}

# Metadata: the form of each, and the names that pages give it, in lower case
STATED_DATE = r"[1-9]\d{3}(-\d\d(-\d\d([T ]\d\d:\d\d\S*)?)?)?"
META_NAMES = {
    "author": (r"(?!\w+://).+", "author article:author dc.creator dcterms.creator citation_author"),
    "date": (
        STATED_DATE,
        "article:published_time datepublished date dc.date dcterms.date citation_publication_date",
    ),
    "description": (r".+", "description og:description dc.description"),
}


class Page(NamedTuple):
    """What a page says. Of its metadata, keywords are a list. A part begins at each heading."""

    text: str
    title: str
    headings: Sequence[str]
    metadata: dict[str, Any]
    parts: Sequence[Part]


def read_html(file: File, source: str) -> Document:
    """Reads the text of a page, its title, author, date, keywords and description.

    Raises InputError if the page has no text, for example because only a script fills it, and if it
    is larger than the limit.
    """
    file.options.refuse_larger(file.path.stat().st_size, "holds")
    data = b"" if file.options.encoding else file.path.read_bytes()
    found = read_page(decoded(data, remark=file.remark) or file.text_to_parse(), file.options)
    if not found.text:
        raise InputError("is a page without text")
    return Document(found.text, source, found.title, found.metadata, None, found.parts, None)


def decoded(
    data: bytes, declared: str | None = None, remark: Callable[[Remark], None] = lambda _: None
) -> str | None:
    """Markup, or the body of an e-mail, in the charset that it declares; None if that can't be.

    What is UTF-8 and not ASCII alone is UTF-8, whatever it declares: no other text has such bytes,
    and many pages were converted, or had another charset in the answer of their server.
    """
    marked = next((MARKED[mark] for mark in MARKED if data.startswith(mark)), None)
    if not marked and not data.isascii():
        try:
            return data.decode("utf-8-sig")
        except UnicodeDecodeError:
            pass
    if not declared and not marked:
        beginning = NO_META.sub(b"", data[:BEGINNING])
        found = CHARSET.search(beginning) or XML_CHARSET.match(beginning)
        declared = found[1].decode("ascii", "replace") if found else ""
    if not (charset := marked or _codec(declared or "")):
        return None
    text = data.decode(charset, "replace")
    if not is_mostly_right(text):
        return None
    tell_flaws(charset, flaws(text), remark)
    return text


def _codec(label: str) -> str | None:
    """The codec for a label of a charset."""
    label = label.strip().lower().removeprefix("x-")
    label = re.sub(r"^(?:cs)?iso-?8859-?(\d+)(?:-?[ei])?$", r"iso8859-\1", label)
    label = re.sub(r"^(?:dos|windows)-(?=\d)", "cp", label.replace("31j", "932"))
    label = next((name for name, labels in LABELS.items() if label in labels), label)
    try:
        name = codecs.lookup(label).name
        b"a".decode(name)
    except (LookupError, ValueError):
        return None
    return next((larger for larger, names in LARGER.items() if name in names), name)


def read_page(markup: str, options: ReadOptions) -> Page:
    """What a page says; its text is empty if it has none.

    Its title is stated, or else its only heading of level 1, or else its first heading. Raises
    InputError as `parsed` does.
    """
    soup = parsed(markup, options)
    said: dict[str, str] = {}
    for meta in soup.find_all("meta"):
        name = meta.get("name") or meta.get("property") or meta.get("itemprop")
        if content := " ".join(str(meta.get("content", "")).split()):
            said.setdefault(str(name).lower(), content)
    seen = [(one, _first_block(one)) for one in soup.find_all(HEADINGS)]
    headings = [(one.name, words.partition("\n")[0]) for one, words in seen]
    stated = (one for one in soup.find_all("title") if getattr(one.parent, "name", "") in AROUND)
    titles = [one.get_text() for one in stated]
    highest = [words for name, words in headings if name == "h1"]
    found = [*titles[:1], said.get("og:title", ""), *(highest if len(highest) == 1 else ())]
    found += [words for _, words in headings]
    title = next(filter(str.strip, found), "")
    marks = {id(one): mark_of(words, int(one.name[1])) for one, words in seen}
    text, parts = without_marks(_text(soup, marks=marks))
    return Page(
        text,
        " ".join(title.translate(INVISIBLE).split()),
        [words for _, words in headings if words],
        _metadata(said),
        parts,
    )


def parsed(markup: str, options: ReadOptions) -> BeautifulSoup:
    """The tags of HTML or XML.

    Raises InputError if there are too many of them: each is an object of many bytes.
    """
    markup = _without_unended(markup)
    if markup.lstrip().startswith("<?xml"):
        markup = CDATA.sub(lambda found: escape(found[1]), markup)
    tags = markup.count("<") - markup.count("</")
    options.refuse_larger(tags * TAG_BYTES, "has so many tags that it unpacks to")
    try:
        # It warns about markup that looks like XML or like a file name; both are expected here.
        with catch_warnings(action="ignore", category=UnusualUsageWarning):
            return BeautifulSoup(markup, "html.parser")
    except ParserRejectedMarkup as error:
        raise InputError(f"is not a usable HTML: {str(error).splitlines()[-1].strip()}") from error


def _metadata(said: Mapping[str, str]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name, (form, theirs) in META_NAMES.items():
        values = (said[one] for one in theirs.split() if one in said)
        if value := next((one for one in values if re.fullmatch(form, one)), ""):
            found[name] = value
    if keywords := [one.strip() for one in said.get("keywords", "").split(",") if one.strip()]:
        found["keywords"] = keywords
    return found


def _without_unended(markup: str) -> str:
    """The markup in which what never ends is text.

    At each beginning the parser would look for the end in all of the rest.
    """
    for beginning, end in MARKUP_ENDS.items():
        last = markup.rfind(end) + 1
        rest = markup[last:].replace(beginning, beginning.replace("<", "&lt;"))
        markup = markup[:last] + rest
    return markup


# What is seen


@dataclass
class _List:
    """A list whose items are being read; `number` is that of the next one, None for bullets."""

    number: int | None = None
    begun: bool = False

    @classmethod
    def of(cls, tag: Tag) -> "_List":
        return cls(_integer(tag.get("start"), 1) if tag.name == "ol" else None)

    def marker(self, item: Tag) -> str:
        """What stands before the next item."""
        if self.number is None:
            return "-"
        number = _integer(item.get("value"), self.number)
        self.number = number + 1
        return f"{number}."


def _integer(text: object, otherwise: int) -> int:
    return int(str(text)) if re.fullmatch(r"-?[0-9]{1,9}", str(text)) else otherwise


Piece = PageElement | str | _List | None  # None ends a list


def _text(*nodes: PageElement | str, marks: Mapping[int, str] | None = None) -> str:
    """The text that is seen; `marks` stand before the first word of some tags, by their id."""
    return _spaced(_pieces(nodes, marks or {}))


def _first_block(heading: Tag) -> str:
    """The text of a heading up to its first blank line: one that does not end holds all the rest.

    It has none after too many borders of blocks, since headings may hold each other without a text.
    """
    held, begun, borders = list[str](), False, 0
    for piece in _pieces([heading], {}):
        borders += piece == PARAGRAPH
        if piece == PARAGRAPH and (begun or borders > HEADING_BORDERS):
            break
        begun = begun or bool(piece.strip(SPACE))
        held.append(piece)
    return _spaced(held)


def _spaced(pieces: Iterable[str]) -> str:
    text = "".join(pieces).strip(SPACE)
    return re.sub(f"[{SPACE}]+", _gap, text).replace(BLANK, " ")


def _pieces(nodes: Sequence[Piece], marks: Mapping[int, str]) -> Iterator[str]:
    """Texts and the separators between them. It is not recursive: pages can nest very deeply."""
    stack, lists, marker, heading = [*reversed(nodes)], [_List()], "", ""
    while stack:
        node = stack.pop()
        if isinstance(node, Tag):
            heading = marks.get(id(node)) or heading
            if node.name == "li" and _is_seen(node):
                edge = ITEM if lists[-1].begun or len(lists) > 2 else LINE
                lists[-1].begun = True
                depth = min(len(lists) - 2, DEEPEST)
                marker = edge + BLANK * 2 * depth + lists[-1].marker(node) + BLANK
            stack.extend(reversed(_inside(node)))
        elif isinstance(node, _List):
            yield LINE if len(lists) > 1 else PARAGRAPH
            lists.append(node)
        elif node is None:  # a list ends
            lists.pop()
            yield LINE if len(lists) > 1 else PARAGRAPH
            marker = ""
        elif not isinstance(node, PageElement) or type(node) in STRINGS:
            text = str(node)
            if isinstance(node, PageElement):
                text = re.sub(r"\s+", " ", text.translate(INVISIBLE))
            if (marker or heading) and text.strip(SPACE):
                text, marker, heading = marker + heading + text.lstrip(SPACE), "", ""
            yield text


def _is_seen(tag: Tag) -> bool:
    """Whether a browser shows it at all, as far as the tag says."""
    if tag.name in {"body", "html"}:  # hidden until a script has run
        return True
    hidden = tag.get("hidden")
    return not (
        tag.name in DROPPED
        or (hidden is not None and hidden != "until-found")
        or (tag.name == "dialog" and not tag.has_attr("open"))
        or tag.has_attr("popover")
        or UNSEEN_STYLE.search(str(tag.get("style", "")))
        or "katex-mathml" in tag.get_attribute_list("class")  # and once more as seen
    )


def _inside(tag: Tag) -> Sequence[Piece]:
    """What is seen of a tag."""
    if not _is_seen(tag):
        return ()
    if tag.name in SEEN_AS:
        return SEEN_AS[tag.name](tag)
    edge = EDGES.get(tag.name, "")
    above = tag.parent and tag.parent.name == "mfrac" and not tag.find_previous_sibling()
    return (edge, *tag.contents, "/" if above else edge)


def _first_inside(tag: Tag, n: int) -> list[PageElement]:
    """The first n descendants. Beautiful Soup would look for the last one before."""
    found: list[PageElement] = []
    stack = tag.contents[:n][::-1]
    while stack and len(found) < n:
        found.append(node := stack.pop())
        if isinstance(node, Tag):
            stack.extend(reversed(node.contents[:n]))
    return found


def _picture(tag: Tag) -> Sequence[Piece]:
    text = " ".join(str(tag.get("alt", "")).translate(INVISIBLE).split())
    return (" ", text, " ") if text else ()


def _cell(tag: Tag) -> Sequence[Piece]:
    """The blocks of a small cell are one line; a cell that lays out the page is not small."""
    nodes = _first_inside(tag, CELL_NODES + 1)
    beside = tag.find_next_sibling(CELLS) or tag.find_previous_sibling(CELLS)
    names = {one.name for one in nodes if isinstance(one, Tag)}
    if beside and len(nodes) <= CELL_NODES and not names & NOT_IN_CELL:
        return (CELL, " ".join(_text(*tag.contents).split()), CELL)
    return (CELL, *tag.contents, CELL)


def _kept(tag: Tag) -> Sequence[Piece]:
    """Text with its line breaks and blanks; if it is code, with what begins such lines."""
    strings = (
        one if type(one) is NavigableString else "\n" * (isinstance(one, Tag) and one.name == "br")
        for one in tag.descendants
    )
    text = re.sub(r"\r\n?", "\n", "".join(strings)).translate(INVISIBLE).expandtabs().strip("\n")
    around = [tag.parent, tag, *_first_inside(tag, 5)]
    tags = [one for one in around if isinstance(one, Tag)]
    classes = (name for one in tags for name in one.get_attribute_list("class"))
    is_code = any(one.name == "code" for one in tags) or OF_CODE.search(" ".join(map(str, classes)))
    indent = CODE.replace(" ", BLANK) if is_code else ""
    lines = (re.sub(r"\s", BLANK, line.rstrip()) for line in text.split("\n"))
    return (PARAGRAPH, "\n".join(line and indent + line for line in lines), PARAGRAPH)


SEEN_AS: Mapping[str, Callable[[Tag], Sequence[Piece]]] = {
    **dict.fromkeys(LISTS, lambda tag: (_List.of(tag), *tag.contents, None)),
    **dict.fromkeys(CELLS, _cell),
    **dict.fromkeys(("area", "img"), _picture),
    "br": lambda _: ("\n",),
    "pre": _kept,
    "q": lambda tag: ("“", *tag.contents, "”"),
    "sup": lambda tag: (" " * bool(tag.find_parent("a") or tag.find("a")), *tag.contents),  # a note
}
"""By name: what is seen of tags that are more than their content."""


def _gap(space: re.Match[str]) -> str:
    """The separator that is strongest; an empty cell keeps its column."""
    gap, row = space[0], space[0].rpartition(LINE)[2]
    empty = " | " * (row.count(CELL) // 2) if LINE in gap and PARAGRAPH not in row else ""
    if ITEM in gap:
        return "\n"
    if PARAGRAPH in gap or gap.count("\n") > 1:
        return "\n\n" + empty
    if LINE in gap or "\n" in gap:
        return "\n" + empty
    return " | " * max(1, gap.count(CELL) // 2) if CELL in gap else " "

"""Reads HTML: the text that a reader of the page sees, with its blocks as paragraphs."""

import re
from collections.abc import Iterator, Sequence
from warnings import catch_warnings

from bs4 import BeautifulSoup, ParserRejectedMarkup, UnusualUsageWarning
from bs4.builder import HTMLTreeBuilder
from bs4.element import NavigableString, PageElement, Tag

from graphrag_neo4j.documents.text import TAG_BYTES, File
from graphrag_neo4j.errors import InputError
from graphrag_neo4j.model import Document

# Separators between elements; texts do not contain them, because their white space is folded.
PARAGRAPH, LINE, CELL = "\f", "\v", "\t"
SPACE = f" \n{PARAGRAPH}{LINE}{CELL}"
EDGES = (
    dict.fromkeys(HTMLTreeBuilder.DEFAULT_BLOCK_ELEMENTS, PARAGRAPH)
    | dict.fromkeys(("caption", "dd", "dt", "li", "option", "summary", "tr"), LINE)
    | dict.fromkeys(("td", "th"), CELL)
)
# What begins something, and what ends it, beside the end of a tag.
ENDS = {"<!--": "-->", "<![CDATA[": "]]>", "<![": "]>", "<": ">"}
DROPPED = frozenset(("noscript", "script", "style", "svg", "template", "title"))


def read_html(file: File, source: str) -> Document:
    """Reads the text of a page, its title and its author.

    Raises InputError if the page has no text, for example because only a script fills it, and if it
    is larger than the limit. Tags count towards it, because each is an object of many bytes.
    """
    markup = file.text_to_parse()
    tags = markup.count("<") - markup.count("</")
    file.options.refuse_larger(tags * TAG_BYTES, "has so many tags that it unpacks to")
    try:
        # It warns about markup that looks like XML or like a file name; both are expected here.
        with catch_warnings(action="ignore", category=UnusualUsageWarning):
            soup = BeautifulSoup(_without_unended(markup), "html.parser")
    except ParserRejectedMarkup as error:
        raise InputError(f"is not a usable HTML: {str(error).splitlines()[-1].strip()}") from error
    text = re.sub(f"[{SPACE}]+", _gap, "".join(_pieces(soup)).strip(SPACE)).replace("\xa0", " ")
    if not text:
        raise InputError("is a page without text")
    title = " ".join(soup.title.get_text().split()) if soup.title else ""
    author = soup.find("meta", attrs={"name": "author"})
    name = str(author.get("content", "")).strip() if author else ""
    return Document(text, source, title, {"author": name} if name else {})


def _without_unended(markup: str) -> str:
    """The markup in which what never ends is text.

    At each beginning the parser would look for the end in all of the rest.
    """
    for beginning, end in ENDS.items():
        last = markup.rfind(end) + 1
        rest = markup[last:].replace(beginning, beginning.replace("<", "&lt;"))
        markup = markup[:last] + rest
    return markup


def _pieces(soup: BeautifulSoup) -> Iterator[str]:
    """Texts and the separators between them. It is not recursive: pages can nest very deeply."""
    stack: list[PageElement | str] = [soup]
    while stack:
        node = stack.pop()
        if isinstance(node, Tag):
            stack.extend(reversed(_inside(node)))
        elif type(node) is NavigableString:  # its subclasses are comments, scripts and so on
            yield re.sub(r"\s+", " ", node)
        elif not isinstance(node, PageElement):
            yield node


def _inside(tag: Tag) -> Sequence[PageElement | str]:
    if tag.name in DROPPED:
        return ()
    if tag.name == "br":
        return ("\n",)
    edge = EDGES.get(tag.name, "")
    if tag.name == "pre":  # with no-break spaces, which are not folded
        return (edge, tag.get_text().expandtabs().replace(" ", "\xa0").strip("\n"), edge)
    return (edge, *tag.contents, edge)


def _gap(space: re.Match[str]) -> str:
    gap = space[0]
    if PARAGRAPH in gap or gap.count("\n") > 1:
        return "\n\n"
    if LINE in gap or "\n" in gap:
        return "\n"
    return " | " if CELL in gap else " "


def text_of(markup: str) -> str:
    soup = BeautifulSoup(_without_unended(markup), "html.parser")
    return re.sub(f"[{SPACE}]+", _gap, "".join(_pieces(soup)).strip(SPACE)).replace("\xa0", " ")

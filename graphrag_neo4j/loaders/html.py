"""HTML: what a reader of the page would see, its blocks as paragraphs."""

import re
from collections.abc import Iterator, Sequence
from warnings import catch_warnings

from bs4 import BeautifulSoup, ParserRejectedMarkup, UnusualUsageWarning
from bs4.builder import HTMLTreeBuilder
from bs4.element import NavigableString, PageElement, Tag

from graphrag_neo4j.errors import InputError
from graphrag_neo4j.loaders.text import TAG_BYTES, Content, File

__all__ = ["html"]

# What stands between two elements; no text holds one, since its white space is folded.
PARAGRAPH, LINE, CELL = "\f", "\v", "\t"
SPACE = f" \n{PARAGRAPH}{LINE}{CELL}"
EDGES = (
    dict.fromkeys(HTMLTreeBuilder.DEFAULT_BLOCK_ELEMENTS, PARAGRAPH)
    | dict.fromkeys(("caption", "dd", "dt", "li", "option", "summary", "tr"), LINE)
    | dict.fromkeys(("td", "th"), CELL)
)
DROPPED = frozenset(("noscript", "script", "style", "svg", "template", "title"))


def html(file: File) -> Content:
    """The readable text of a page, its title and its author.

    Raises InputError if it has no text, like a page that only a script would fill, and if it
    holds more than the limit.
    """
    soup = _parse(_limited(file))
    text = _layout("".join(_pieces(soup)))
    if not text:
        raise InputError("is a page without text")
    title = soup.title.get_text() if soup.title else ""
    author = soup.find("meta", attrs={"name": "author"})
    name = str(author.get("content", "")).strip() if author else ""
    return Content(text, " ".join(title.split()), {"author": name} if name else {})


def _limited(file: File) -> str:
    """The markup; tags count, too, since each is held as an object of many bytes."""
    markup = file.text_to_parse()
    tags = markup.count("<") - markup.count("</")
    file.options.refuse_larger(tags * TAG_BYTES, "has so many tags that it unpacks to")
    return markup


def _parse(markup: str) -> BeautifulSoup:
    try:
        # It warns of pages that look like XML, or like a file name: both are files here.
        with catch_warnings(action="ignore", category=UnusualUsageWarning):
            return BeautifulSoup(markup, "html.parser")
    except ParserRejectedMarkup as error:
        raise InputError(f"is no usable HTML: {str(error).splitlines()[-1].strip()}") from error


def _pieces(soup: BeautifulSoup) -> Iterator[str]:
    """Texts and what stands between them. Not recursive: unclosed paragraphs nest deeply."""
    stack: list[PageElement | str] = [soup]
    while stack:
        node = stack.pop()
        if isinstance(node, Tag):
            stack.extend(reversed(_inside(node)))
        elif type(node) is NavigableString:  # its subclasses are comments, scripts and the like
            yield re.sub(r"\s+", " ", node)
        elif not isinstance(node, PageElement):
            yield node


def _inside(tag: Tag) -> Sequence[PageElement | str]:
    if tag.name in DROPPED:
        return ()
    if tag.name == "br":
        return ("\n",)
    edge = EDGES.get(tag.name, "")
    if tag.name == "pre":
        return (edge, _kept(tag.get_text()), edge)
    return (edge, *tag.contents, edge)


def _kept(text: str) -> str:
    """White space that the layout leaves alone: folding has left no other no-break spaces."""
    return text.expandtabs().replace(" ", "\xa0").strip("\n")


def _layout(text: str) -> str:
    return re.sub(f"[{SPACE}]+", _gap, text.strip(SPACE)).replace("\xa0", " ")


def _gap(space: re.Match[str]) -> str:
    gap = space[0]
    if PARAGRAPH in gap or gap.count("\n") > 1:
        return "\n\n"
    if LINE in gap or "\n" in gap:
        return "\n"
    return " | " if CELL in gap else " "

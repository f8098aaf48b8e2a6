"""Reads Markdown: the words of the rendered page, and what its front matter says.

text ──▶ front matter ──▶ title, metadata
     └─▶ tokens ──▶ headings ──▶ title, dates
                └─▶ HTML ──▶ the words, as those of any other page (html)
"""

import re

import yaml
from markdown_it import MarkdownIt
from markdown_it.rules_block import StateBlock
from markdown_it.rules_inline import StateInline

from graphrag_neo4j.documents.html import Page, page
from graphrag_neo4j.documents.metadata import date_in, kept, year_in
from graphrag_neo4j.documents.text import File, ReadOptions, Remark
from graphrag_neo4j.model import Document

FRONT_MATTER = re.compile(r"---[ \t]*\n(.*?\n)?(?:---|\.\.\.)[ \t]*(?:\n|\Z)", re.DOTALL)
# A link between the notes of a vault: [[note]], [[note#heading|words]]; ![[note]] shows it there.
WIKILINK = re.compile(r"!?\[\[([^\[\]|\n]+?)(?:\\?\|([^\[\]\n]+))?\]\]")
PICTURE = re.compile(r"\.(?:avif|bmp|gif|jpe?g|mp[34]|pdf|png|svg|webm|webp)\Z", re.IGNORECASE)
FOOTNOTE = re.compile(r"\[\^([^\]\s]+)\]")
NOTE, DEFINITION = re.compile(FOOTNOTE.pattern + ":"), re.compile(r"\[[^\]\n]+\]:")


def read_markdown(file: File, source: str) -> Document:
    """Reads the words of a file; its front matter, links to notes and dated headings are metadata.

    The title is that of the front matter, else that of the page.
    """
    about, text = front_matter(file.text_to_parse())
    if about is None:
        file.remark(Remark("front matter that is no usable YAML was read as text"))
    (metadata, unkept), notes = kept(about or {}), dict[str, None]()
    if unkept:
        file.remark(Remark(f"{', '.join(unkept)} of the front matter can't be kept"))
    found, year = render(text, file.options, notes), year_in(file.path.stem)
    title = str(metadata.pop("title", "")).strip() or found.title
    if notes:
        metadata.setdefault("links", list(notes))
    if dates := [day for words in found.headings if (day := date_in(words, year))]:
        metadata.setdefault("date", date_in(file.path.stem) or dates[0])
        metadata.setdefault("dates", list(dict.fromkeys(dates)))
    return Document(found.text, source, title, metadata)


def render(text: str, options: ReadOptions, notes: dict[str, None] | None = None) -> Page:
    """Renders Markdown as a page. `notes` gets the notes that it links to."""
    return page(PARSER.render(text, {"notes": {} if notes is None else notes}), options)


def front_matter(text: str) -> tuple[dict[str, object] | None, str]:
    """The values that the YAML at the beginning of a text gives by name, and the text after it.

    Where it is no usable YAML, the values are None, and the text is whole.
    """
    if not (found := FRONT_MATTER.match(text)):
        return {}, text
    try:
        about = yaml.load(found[1] or "", _NoAliases)  # noqa: S506 - it is a safe loader
    except (yaml.YAMLError, ValueError, RecursionError):  # ValueError: a day that does not exist
        return None, text
    if not isinstance(about, dict | None):  # a text between two rules
        return {}, text
    return {str(name): value for name, value in (about or {}).items()}, text[found.end() :]


class _NoAliases(yaml.SafeLoader):
    """Refuses names for what stands elsewhere: by them a few lines hold millions of values."""

    def compose_node(self, parent: yaml.Node | None, index: int) -> yaml.Node | None:
        if self.check_event(yaml.AliasEvent):
            raise yaml.YAMLError("an alias")
        return super().compose_node(parent, index)


def _wikilink(state: StateInline, silent: bool) -> bool:
    """The words of a link between notes; a picture, which is shown instead, has none."""
    if not (found := WIKILINK.match(state.src, state.pos)):
        return False
    note, words = found[1].strip(), found[2] or found[1].replace("#", " > ")
    if not silent and not (found[0].startswith("!") and PICTURE.search(note)):
        state.env["notes"][note.partition("#")[0]] = None
        state.push("text", "", 0).content = words.strip()
    state.pos = found.end()
    return True


def _footnote(state: StateInline, silent: bool) -> bool:
    """The mark of a footnote, as [1]."""
    if not (found := FOOTNOTE.match(state.src, state.pos)):
        return False
    if not silent:
        state.push("text", "", 0).content = f"[{found[1]}]"
    state.pos = found.end()
    return True


def _note(state: StateBlock, line: int, last: int, silent: bool) -> bool:
    """The text of a footnote: a paragraph that ends before the next definition."""
    if not NOTE.match(state.src, state.bMarks[line] + state.tShift[line]):
        return False
    if not silent:
        state.line = line + 1
        while state.line < last and not (
            state.isEmpty(state.line)
            or DEFINITION.match(state.src, state.bMarks[state.line] + state.tShift[state.line])
        ):
            state.line += 1
        state.push("paragraph_open", "p", 1)
        inline = state.push("inline", "", 0)
        inline.content = state.getLines(line, state.line, state.blkIndent, False).strip()
        inline.children = []
        state.push("paragraph_close", "p", -1)
    return True


# Of what is nested deeper nothing would be left; the usual limit is 20.
PARSER = MarkdownIt("commonmark", {"maxNesting": 100}).enable(["table", "strikethrough"])
PARSER.inline.ruler.before("link", "wikilink", _wikilink)
PARSER.inline.ruler.before("link", "footnote", _footnote)
PARSER.block.ruler.before("reference", "note", _note, {"alt": ["paragraph", "reference"]})

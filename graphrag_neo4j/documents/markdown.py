"""Reads Markdown: the words of the rendered page, and what its front matter says.

front matter ──▶ title, metadata
the rest ──▶ HTML ──▶ the words, as those of any other page (html)
"""

import re
import tomllib
from collections.abc import Callable

import yaml
from markdown_it import MarkdownIt
from markdown_it.rules_block import StateBlock
from markdown_it.rules_inline import StateInline
from markdown_it.utils import EnvType

from graphrag_neo4j.documents.html import Page, read_page
from graphrag_neo4j.documents.metadata import date_in, kept, year_in
from graphrag_neo4j.documents.text import File, Remark
from graphrag_neo4j.model.types import Document
from graphrag_neo4j.settings.reading import ReadOptions

FRONT_MATTER = re.compile(r"(---|\+\+\+)[ \t]*\n(.*?\n)?(?:\1|\.\.\.)[ \t]*(?:\n|\Z)", re.DOTALL)
CALLOUT = re.compile(r"^((?:> ?)+)\[!(\w+)\][+-]?[ \t]*(.*)$", re.MULTILINE)  # > [!note] Title
FORMULA = re.compile(r"\$\$.+?\$\$|\$(?!\s)[^$\n]+?(?<!\s)\$(?!\d)", re.DOTALL)
# A link between the notes of a vault: [[note]], [[note#heading|words]]; ![[note]] shows it there.
WIKILINK = re.compile(r"!?\[\[([^\[\]|\n]+?)(?:\\?\|([^\[\]\n]+))?\]\]")
PICTURE = re.compile(r"\.(?:avif|bmp|gif|jpe?g|mp[34]|pdf|png|svg|webm|webp)\Z", re.IGNORECASE)
FOOTNOTE = re.compile(r"\[\^([^\]\s]+)\]")
NOTE, DEFINITION = re.compile(FOOTNOTE.pattern + ":"), re.compile(r"\[[^\]\n]+\]:")


def read_markdown(file: File, source: str) -> Document:
    """Reads the words of a file; its front matter, links to notes and dated headings are metadata.

    The title is that of the front matter, else that of the page.
    """
    return document_of(file.text_to_parse(), file, source)


def document_of(text: str, file: File, source: str) -> Document:
    """The document of a Markdown text, as `read_markdown` gives it."""
    about, text = front_matter(text)
    if about is None:
        file.remark(Remark("front matter that isn't usable YAML or TOML was read as text"))
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
    return Document(found.text, source, title, metadata, None, found.parts, None)


def front_matter(text: str) -> tuple[dict[str, object] | None, str]:
    """The values at the beginning of a text by name, in YAML or TOML, and the text after them.

    The values are None where they can't be used; the text then also holds them.
    """
    if not (found := FRONT_MATTER.match(text)):
        return {}, text
    inside, rest = found[2] or "", text[found.end() :]
    try:
        about = tomllib.loads(inside) if found[1] == "+++" else yaml.load(inside, _FrontMatter)  # noqa: S506 - it is a safe loader
    except (yaml.YAMLError, ValueError, RecursionError):
        return None, f"{inside}\n\n{rest}"
    if not isinstance(about, dict | None):  # a text between two rules
        return {}, text
    named = {str(name): value for name, value in (about or {}).items()}
    for name in ("Title", "Date"):
        if name in named:
            named.setdefault(name.lower(), named.pop(name))
    return named, rest


class _FrontMatter(yaml.SafeLoader):
    """Reads values as they are seen: 01067, 10:30, no, and 2021-02-30 are texts.

    It refuses names for what stands elsewhere, by which a few lines could hold millions of values.
    """

    def compose_node(self, parent: yaml.Node | None, index: int) -> yaml.Node | None:
        if self.check_event(yaml.AliasEvent):
            raise yaml.YAMLError("an alias")
        return super().compose_node(parent, index)

    def day(self, node: yaml.ScalarNode) -> object:
        try:
            return self.construct_yaml_timestamp(node)
        except ValueError:
            return node.value


SEEN_AS_TEXT = ("tag:yaml.org,2002:bool", "tag:yaml.org,2002:int", "tag:yaml.org,2002:float")
_FrontMatter.yaml_implicit_resolvers = {
    first: [one for one in resolvers if one[0] not in SEEN_AS_TEXT]
    for first, resolvers in yaml.SafeLoader.yaml_implicit_resolvers.items()
}
for tag, pattern, first in (
    ("bool", r"true|false|True|False|TRUE|FALSE", "tfTF"),
    ("int", r"-?(?:0|[1-9]\d*)", "-0123456789"),
    ("float", r"-?(?:0|[1-9]\d*)\.\d+(?:[eE][-+]?\d+)?", "-0123456789"),
):
    resolver = re.compile(rf"(?:{pattern})\Z")
    _FrontMatter.add_implicit_resolver(f"tag:yaml.org,2002:{tag}", resolver, list(first))
_FrontMatter.add_constructor("tag:yaml.org,2002:timestamp", _FrontMatter.day)


def render(text: str, options: ReadOptions, notes: dict[str, None] | None = None) -> Page:
    """Renders Markdown as a page. `notes` gets the notes that it links to."""

    def titled(found: re.Match[str]) -> str:
        return f"{found[1]}{found[3] or found[2].title()}\n{found[1]}"

    return read_page(
        COMMONMARK.render(CALLOUT.sub(titled, text), {"notes": {} if notes is None else notes}),
        options,
    )


def _shown(
    pattern: re.Pattern[str], words: Callable[[re.Match[str], EnvType], str]
) -> Callable[[StateInline, bool], bool]:
    """A rule: what matches is shown as these words."""

    def rule(state: StateInline, silent: bool) -> bool:
        if found := pattern.match(state.src, state.pos):
            if not silent:
                state.push("text", "", 0).content = words(found, state.env)
            state.pos = found.end()
        return found is not None

    return rule


def _wikilink(found: re.Match[str], env: EnvType) -> str:
    """The words of a link between notes; a picture, which is shown instead, has none."""
    note, _, heading = found[1].strip().partition("#")
    if (found[0].startswith("!") and PICTURE.search(note)) or note.lower() in {"_toc_", "toc"}:
        return ""
    if note:
        env["notes"][note] = None
    return (found[2] or " > ".join(filter(None, (note, heading)))).strip()


def _note(state: StateBlock, line: int, last: int, silent: bool) -> bool:
    """The text of a footnote: a paragraph that ends before the next definition."""
    if not NOTE.match(state.src, state.bMarks[line] + state.tShift[line]):
        return False
    if not silent:
        state.line = line + 1
        while state.line < last and not (
            (state.isEmpty(state.line) and not _is_indented(state, state.line + 1, last))
            or DEFINITION.match(state.src, state.bMarks[state.line] + state.tShift[state.line])
        ):
            state.line += 1
        state.push("paragraph_open", "p", 1)
        inline = state.push("inline", "", 0)
        inline.content = state.getLines(line, state.line, state.blkIndent, False).strip()
        inline.children = []
        state.push("paragraph_close", "p", -1)
    return True


def _is_indented(state: StateBlock, line: int, last: int) -> bool:
    return line < last and state.sCount[line] - state.blkIndent >= 4


# Of what is nested deeper nothing would be left; the usual limit is 20.
COMMONMARK = MarkdownIt("commonmark", {"maxNesting": 100}).enable(["table", "strikethrough"])
COMMONMARK.inline.ruler.before("link", "wikilink", _shown(WIKILINK, _wikilink))
COMMONMARK.inline.ruler.before(
    "link", "footnote", _shown(FOOTNOTE, lambda found, _: f"[{found[1]}]")
)
COMMONMARK.inline.ruler.before("escape", "formula", _shown(FORMULA, lambda found, _: found[0]))
COMMONMARK.block.ruler.before("reference", "note", _note, {"alt": ["paragraph", "reference"]})

"""What stands in README.md and docs/: blocks, the commands in them and between them, links."""

import re
import shlex
from collections.abc import Iterator
from typing import Final, NamedTuple

import click

from graphrag_neo4j import cli
from tests.support.paths import ROOT

PAGES: Final = {
    path.relative_to(ROOT).as_posix(): path.read_text("utf-8")
    for path in [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted(ROOT.glob("docs/*.md"))]
}
TEXT: Final = "\n".join(PAGES.values())
FENCED = re.compile(r"^```(?P<language>\w*)\n(?P<text>.*?)^```$", re.MULTILINE | re.DOTALL)
COMMENT = re.compile(r"(^|\s+)#.*")


class Block(NamedTuple):
    """A fenced block of a page; `line`: where it begins."""

    language: str
    text: str
    page: str
    line: int

    @property
    def commands(self) -> list[str]:
        """Its lines without comments."""
        lines = (COMMENT.sub("", line) for line in self.text.splitlines())
        return [line for line in lines if line]


def _blocks() -> Iterator[Block]:
    for page, text in PAGES.items():
        for found in FENCED.finditer(text):
            line = text[: found.start()].count("\n") + 1
            yield Block(found["language"], found["text"], page, line)


BLOCKS: Final = tuple(_blocks())


def blocks(language: str) -> list[Block]:
    """The blocks of a language."""
    return [block for block in BLOCKS if block.language == language]


def spans(begin: str) -> list[str]:
    """What stands as `code` in the prose and begins so."""
    prose = FENCED.sub("", TEXT)
    found = re.findall(rf"`({re.escape(begin)}[^`]*)`", prose)
    return [span.replace("\\|", "|") for span in found]


def command_of(line: str) -> tuple[list[click.Command], set[str]]:
    """The commands that a line of `kg-build` names (`start|stop` are two), and its options.

    Raises KeyError for a command that does not exist.
    """
    words = shlex.split(line)[1:]
    found: list[click.Command] = [cli.commands]
    while words and isinstance(group := found[0], click.Group):
        found = [_named(group, name) for name in words.pop(0).split("|")]
    return found, {word for word in words if word.startswith("--")}


def options_of(command: click.Command) -> set[str]:
    """The options of a command, of a group those of all its commands."""
    own = {opt for one in command.params for opt in (*one.opts, *one.secondary_opts)}
    if not isinstance(command, click.Group):
        return own
    inner = (_named(command, name) for name in command.list_commands(click.Context(command)))
    return own.union(*map(options_of, inner))


def _named(group: click.Group, name: str) -> click.Command:
    command = group.get_command(click.Context(group), name)
    if command is None:
        raise KeyError(name)
    return command

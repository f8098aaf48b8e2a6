"""The one place of the command line that prints, and the one filter that all text passes.

The text of documents, names, titles, paths, replies and errors was written by others. A terminal
obeys what some characters say: an escape sequence clears the screen or makes a link that leads
elsewhere than it says, a change of direction shows words in another order. So no other module
prints, and what is printed here goes through `harmless` first. Styles and tables are given as
values, never as markup or codes in a text.
"""

import logging
import os
import re
import shutil
import sys
import traceback
import warnings
from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING, Any, Final, Literal, TextIO, cast

import click

if TYPE_CHECKING:
    from types import TracebackType

    from rich.progress import TaskID


# rich is imported where it is used: most of what is printed, and `--help`, does without.
# ruff: noqa: PLC0415

__all__ = [
    "Drawing",
    "Part",
    "Style",
    "block",
    "confirmed",
    "errors_are_shown",
    "folded",
    "harmless",
    "is_shown",
    "json_text",
    "line",
    "piece",
    "prepare",
    "prompt",
    "table",
    "usage_error",
]

Style = Literal["", "bold", "dim", "green", "red", "yellow"]
Part = str | tuple[str, Style]  # a text, or a text in a style

_LINE_BREAK = re.compile("\r\n|[\n\r\x0b\x0c\x85\u2028\u2029]")
# C0 (without tab and line breaks), DEL, C1 and lone surrogates: shown as U+FFFD.
_CONTROL = "\x00-\x08\x0e-\x1f\x7f-\x84\x86-\x9f\ud800-\udfff"
# Marks, embeddings, overrides and isolates of direction; characters without width that no script
# needs (joiners are not among them: Persian, Hindi and emoji need these); tags. All dropped.
_UNSEEN = (
    "\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069"
    "\u180e\u200b\u2060-\u2065\u206a-\u206f\ufeff\ufff9-\ufffb\U000e0000-\U000e007f"
)
_WORD = re.compile(" *[^ ]+| +$")
_CONTROLS = re.compile(f"[{_CONTROL}]")
_UNSEENS = re.compile(f"[{_UNSEEN}]")
_IN_JSON = re.compile(f"[{_CONTROL}{_UNSEEN}\x85\u2028\u2029]")
_STYLES: Final[dict[Style, dict[str, Any]]] = {
    "": {},
    "bold": {"bold": True},
    "dim": {"dim": True},
    "green": {"fg": "green"},
    "red": {"fg": "red"},
    "yellow": {"fg": "yellow"},
}


def harmless(text: str, *, lines: bool = False) -> str:
    """The text without anything that a terminal would obey.

    By default it is one line: line breaks and tabs become spaces. With `lines` they stay, each
    break as a line feed. Markup and Markdown are text like any other.

    >>> harmless("Marley\\nwas \\u202edead")
    'Marley was dead'
    """
    text = _LINE_BREAK.sub("\n" if lines else " ", text)
    text = text if lines else text.replace("\t", " ")
    return _UNSEENS.sub("", _CONTROLS.sub("\ufffd", text))


def line(*parts: Part, style: Style = "", error: bool = False) -> None:
    """Prints the parts as one line; `error`: on standard error. A part may have its own style.

    On a terminal a line that is too long goes on below, between two words.
    """
    pairs = [(part, style) if isinstance(part, str) else part for part in parts]
    width = _width(sys.stderr if error else sys.stdout)
    shown, before = "", ""
    for text, own in pairs:
        new = folded(harmless(text), width, before)
        before += new
        shown += _styled(new, own)
    click.echo(shown, err=error)


def folded(text: str, width: int, before: str = "") -> str:
    """The text with line breaks between words where it is longer than `width` characters.

    It goes on below its own beginning; a longer word stays whole. `before`: what stands there
    already, the end of which is on the same line.

    >>> folded("  Marley was dead", 12)
    '  Marley was\\n  dead'
    """
    begun = before.rpartition("\n")[2]
    whole = before + text
    lead = " " * min(len(whole) - len(whole.lstrip(" ")), width // 2)
    at, is_blank, shown = len(begun), not begun.strip(), list[str]()
    for word in _WORD.findall(text):
        if at + len(word) > width and not is_blank:
            below = lead + word.lstrip(" ")
            shown += ["\n", below]
            at, is_blank = len(below), not below.strip()
        else:
            shown.append(word)
            at, is_blank = at + len(word), is_blank and not word.strip()
    return "".join(shown)


def block(text: str, *, error: bool = False) -> None:
    """Prints a text of several lines as they are."""
    click.echo(harmless(text, lines=True), err=error)


def piece(text: str) -> None:
    """Prints a piece of a text that is still coming; one character can't hide in two pieces."""
    click.echo(harmless(text, lines=True), nl=False)


def json_text(text: str) -> None:
    """Prints JSON: what a terminal would obey is escaped, so the values stay exactly the same."""
    click.echo(_IN_JSON.sub(_escaped, text))


def table(
    head: Sequence[str],
    rows: Sequence[Sequence[Part]],
    *,
    left: Collection[str] = (),
    wrapped: bool = False,
) -> None:
    """Prints a table with a head, or without one if all its names are empty.

    The first column and those named in `left` are text, the others numbers. Each row is one line,
    unless the cells are `wrapped` to the width of the terminal.
    """
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    drawn = Table(box=None, show_header=any(head), pad_edge=False)
    for n, name in enumerate(head):
        text = n == 0 or name in left
        drawn.add_column(
            Text(name),
            justify="left" if text else "right",
            no_wrap=not wrapped,
            header_style="bold",
        )
    for row in rows:
        pairs = ((cell, "") if isinstance(cell, str) else cell for cell in row)
        drawn.add_row(*(Text(harmless(text), style) for text, style in pairs))
    console = Console(markup=False, highlight=False, emoji=False)
    width = None if wrapped else max(console.width, console.measure(drawn).maximum)
    console.print(drawn, width=width, soft_wrap=not wrapped)


class Drawing:
    """Bars of progress on standard error, drawn from the first bar until `rest`.

    `fleeting`: they vanish then, and leave the screen to what comes next; they tell the time that
    a step has taken instead of what it still needs, for these steps are short.
    """

    def __init__(self, *, fleeting: bool) -> None:
        from rich.console import Console
        from rich.progress import (
            BarColumn,
            Progress,
            TextColumn,
            TimeElapsedColumn,
            TimeRemainingColumn,
        )

        self._progress = Progress(
            TextColumn("{task.description:>10}", markup=False),
            BarColumn(),
            TextColumn("{task.fields[count]}", markup=False),
            TextColumn("{task.fields[rate]}", markup=False),
            TextColumn("{task.fields[failed]}", markup=False, style="red"),
            TextColumn("{task.fields[spent]}", markup=False, style="dim"),
            TimeElapsedColumn() if fleeting else TimeRemainingColumn(),
            console=Console(stderr=True),
            redirect_stdout=False,
            transient=fleeting,
        )

    def say(self, text: str, style: Style = "") -> None:
        """Prints a line above the bars."""
        from rich.text import Text

        console = self._progress.console
        shown = folded(harmless(text), console.width)
        console.print(Text(shown, style), soft_wrap=True)

    def add(self, name: str, total: int | None) -> int:
        """A new bar, by its number; a `total` of None is not known yet."""
        self._progress.start()
        return self._progress.add_task(
            harmless(name), total=total, count="", rate="", failed="", spent=""
        )

    def update(self, bar: int, **values: Any) -> None:  # noqa: ANN401 - columns of a bar
        """Changes what a bar shows: description, count, rate, failed, spent, completed, total."""
        shown: dict[str, Any] = {
            name: harmless(value) if isinstance(value, str) else value
            for name, value in values.items()
        }
        self._progress.update(cast("TaskID", bar), **shown)

    def remove(self, bar: int) -> None:
        """Takes a bar away."""
        self._progress.remove_task(cast("TaskID", bar))

    def rest(self) -> None:
        """Ends the drawing until the next bar."""
        self._progress.stop()
        for bar in self._progress.task_ids:
            self._progress.remove_task(bar)


def prompt(text: str) -> str:
    """What the person types; raises click.Abort at the end of the input."""
    return str(click.prompt(harmless(text), default="", show_default=False, prompt_suffix=""))


def confirmed(question: str) -> bool:
    """Whether the person says yes."""
    return click.confirm(harmless(question))


def is_shown() -> bool:
    """Whether standard output is a terminal, or is to be taken for one (TTY_COMPATIBLE=1)."""
    return sys.stdout.isatty() or os.environ.get("TTY_COMPATIBLE") == "1"


def errors_are_shown() -> bool:
    """Whether standard error is a terminal."""
    return sys.stderr.isatty()


def usage_error(error: click.ClickException) -> None:
    """Prints what is wrong with a command line, and how the command is used."""
    context = error.ctx if isinstance(error, click.UsageError) else None
    if context:
        block(context.get_usage(), error=True)
        line(f"`{context.command_path} --help` explains its arguments and options.", error=True)
        line(error=True)
    line(f"Error: {error.format_message()}", error=True)


def prepare() -> None:
    """Brings what Python itself prints (logs, warnings, tracebacks) through the filter, too.

    A character that the terminal's encoding lacks is printed as a question mark.
    """
    for stream in (sys.stdout, sys.stderr):
        if reconfigure := getattr(stream, "reconfigure", None):
            reconfigure(errors="replace")
    logging.lastResort = _Log(logging.WARNING)
    warnings.showwarning = _show_warning  # type: ignore[assignment] # it needs no line of code
    sys.excepthook = _show_exception


class _Log(logging.Handler):
    """Prints the records of libraries; it is used where no other handler is set."""

    def emit(self, record: logging.LogRecord) -> None:
        block(self.format(record), error=True)


def _show_warning(message: Warning | str, category: type[Warning], *_place: object) -> None:
    line(f"{category.__name__}: {message}", error=True)


def _show_exception(
    kind: type[BaseException], error: BaseException, trace: "TracebackType | None"
) -> None:
    block("".join(traceback.format_exception(kind, error, trace)), error=True)


def _width(stream: TextIO) -> int:
    """The characters of a line: as many as there are in what is no terminal."""
    return shutil.get_terminal_size().columns if stream.isatty() else sys.maxsize


def _styled(text: str, style: Style) -> str:
    return click.style(text, **_STYLES[style]) if style else text


def _escaped(found: re.Match[str]) -> str:
    units = found[0].encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{units[n : n + 2].hex()}" for n in range(0, len(units), 2))

"""The only module of the command line that prints. All printed text passes one filter.

Documents, names, titles, paths, replies and error messages contain text that others wrote. Some
characters are commands to a terminal: an escape sequence can clear the screen or make a link that
leads to another address than it shows, and a direction mark can show words in another order. So
no other module prints, and all text that is printed here first passes `harmless`. Styles and
tables are given as values, never as markup or as escape sequences in a text.
"""

import logging
import os
import re
import shlex
import shutil
import sys
import traceback
import warnings
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal, TextIO, cast

import click

from graphrag_neo4j.errors import InputError
from graphrag_neo4j.text.strings import UNSEEN, without_unseen

if TYPE_CHECKING:
    from types import TracebackType

    from rich.progress import TaskID


# rich is imported where it is used, because `--help` and most other output do not need it.
# ruff: noqa: PLC0415

Style = Literal["", "bold", "dim", "green", "red", "yellow"]
Part = str | tuple[str, Style]  # a text, or a text in a style

_LINE_BREAK = re.compile("\r\n|[\n\r\x0b\x0c\x85\u2028\u2029]")
# C0 (without tab and line breaks), DEL, C1 and lone surrogates. They are shown as U+FFFD.
_CONTROL = "\x00-\x08\x0e-\x1f\x7f-\x84\x86-\x9f\ud800-\udfff"
NAMED: Final = 20  # lines of one kind that are printed; the others are only counted
WIDEST: Final = 10_000  # characters of a line of a table
_WORD = re.compile(" *[^ ]+| +$")
PROGRAM: Final = "kg-build"
_COMMAND = re.compile(f"(`|^  ){PROGRAM} (?!-)")
home: Path | None = None  # the option --home
_CONTROLS = re.compile(f"[{_CONTROL}]")
_IN_JSON = re.compile(f"[{_CONTROL}{UNSEEN}\x85\u2028\u2029]")


def harmless(text: str, *, lines: bool = False) -> str:
    """Returns the text without characters that would control a terminal.

    By default the result is one line: line breaks and tabs become spaces. With `lines` tabs stay
    and each line break becomes a line feed. Markup and Markdown are ordinary text.

    >>> harmless("Marley\\nwas \\u202edead")
    'Marley was dead'
    """
    text = _LINE_BREAK.sub("\n" if lines else " ", text)
    text = text if lines else text.replace("\t", " ")
    return without_unseen(_CONTROLS.sub("\ufffd", text))


def line(*parts: Part, style: Style = "", error: bool = False) -> None:
    """Prints the parts as one line. Each part may have its own style.

    A part without a style is a sentence of this program: the commands that it names get
    the option --home, if it was given. What others wrote is given with a style. With `error` the
    line goes to standard error. On a terminal a long line is wrapped between words.
    """
    pairs = [(_with_home(part), style) if isinstance(part, str) else part for part in parts]
    to_terminal = (sys.stderr if error else sys.stdout).isatty()
    width = shutil.get_terminal_size().columns if to_terminal else sys.maxsize
    shown, before = "", ""  # the marks of a style have no width, so it is given after wrapping
    for text, own in pairs:
        new = wrapped(harmless(text), width, before)
        before += new
        shown += _styled(new, own)
    click.echo(shown, err=error)


def wrapped(text: str, width: int, before: str = "") -> str:
    """Returns the text with line breaks between words, so that no line exceeds `width` characters.

    The next lines have the same indentation as the first. A word that is longer than a line stays
    whole. `before` is the text that is already printed; the text continues its last line.

    >>> wrapped("  Marley was dead", 12)
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
    """Prints a text of several lines without wrapping them."""
    click.echo(harmless(text, lines=True), err=error)


def piece(text: str) -> None:
    """Prints a piece of a streamed text. A character never lies in two pieces."""
    click.echo(harmless(text, lines=True), nl=False)


def some(lines: Sequence[str], where: str, style: Style = "", *, error: bool = False) -> None:
    """Prints the first `NAMED` lines, and the number of the others, which are shown `where`."""
    for text in lines[:NAMED]:
        line(text, style=style, error=error)
    if len(lines) > NAMED:
        more = f"… and {len(lines) - NAMED:,} more. {where} shows all of them."
        line(more, style=style, error=error)


def json_text(text: str) -> None:
    """Prints JSON, in UTF-8 whatever the encoding of the terminal is, as programs expect it.

    Control characters are escaped, so that the values stay exactly the same.
    """
    if reconfigure := getattr(sys.stdout, "reconfigure", None):
        reconfigure(encoding="utf-8")
    click.echo(_IN_JSON.sub(_escaped, text))


def table(
    head: Sequence[str],
    rows: Sequence[Sequence[Part]],
    *,
    left: Collection[str] = (),
    wrapped: bool = False,
) -> None:
    """Prints a table. It has no head if all names in `head` are empty.

    The first column and those named in `left` are text, the others are numbers. Each row is one
    line, unless `wrapped` fits the cells to the width of the terminal.
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
    if not wrapped:  # rich would shorten the cells of a line that is wider than its console
        options = console.options.update(max_width=WIDEST)
        console.width = max(console.width, console.measure(drawn, options=options).maximum)
    console.print(drawn, soft_wrap=not wrapped)


class Drawing:
    """Progress bars on standard error, drawn from the first bar until `rest`.

    With `fleeting` the bars disappear at `rest`, and they show the elapsed time instead of the
    remaining time, because such steps are short.
    """

    def __init__(self, *, fleeting: bool) -> None:
        from rich import progress
        from rich.console import Console

        def text(name: str, style: str = "none") -> progress.TextColumn:
            return progress.TextColumn(f"{{task.{name}}}", markup=False, style=style)

        self._progress = progress.Progress(
            text("description:>10"),
            progress.BarColumn(),
            text("fields[count]"),
            text("fields[rate]"),
            text("fields[failed]", "red"),
            text("fields[spent]", "dim"),
            progress.TimeElapsedColumn() if fleeting else progress.TimeRemainingColumn(),
            console=Console(stderr=True),
            redirect_stdout=False,
            transient=fleeting,
        )

    def say(self, text: str, style: Style = "") -> None:
        """Prints a line above the bars."""
        from rich.text import Text

        console = self._progress.console
        shown = wrapped(harmless(_with_home(text)), console.width)
        console.print(Text(shown, style), soft_wrap=True)

    def add(self, name: str, total: int | None) -> int:
        """Adds a bar and returns its number. A `total` of None is not known yet."""
        self._progress.start()
        return self._progress.add_task(
            harmless(name), total=total, count="", rate="", failed="", spent=""
        )

    def update(self, bar: int, **values: Any) -> None:  # noqa: ANN401 - columns of a bar
        """Changes a bar's description, count, rate, failed, spent, completed or total."""
        shown: dict[str, Any] = {
            name: harmless(value) if isinstance(value, str) else value
            for name, value in values.items()
        }
        self._progress.update(cast("TaskID", bar), **shown)

    def remove(self, bar: int) -> None:
        """Removes a bar."""
        self._progress.remove_task(cast("TaskID", bar))

    def rest(self) -> None:
        """Stops drawing until the next bar."""
        self._progress.stop()
        for bar in self._progress.task_ids:
            self._progress.remove_task(bar)


def prompt(text: str) -> str:
    """Returns the line that the user types. Raises click.Abort at the end of the input.

    Raises InputError if it can't be read.
    """
    with _reading():
        return str(click.prompt(harmless(text), default="", show_default=False, prompt_suffix=""))


def confirmed(question: str) -> bool:
    """Asks the user a question, and says whether the answer is yes. Raises as `prompt`."""
    with _reading():
        return click.confirm(harmless(question))


@contextmanager
def _reading() -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise InputError(f"The input can't be read: {error.strerror}.") from None


def can_ask() -> bool:
    """Returns whether a person can answer a question: standard input is a terminal."""
    return sys.stdin.isatty()


def is_shown() -> bool:
    """Returns whether standard output is a terminal."""
    return sys.stdout.isatty() or os.environ.get("TTY_COMPATIBLE") == "1"


def errors_are_shown() -> bool:
    """Returns whether standard error is a terminal."""
    return sys.stderr.isatty()


def usage_error(error: click.ClickException) -> None:
    """Prints the error in a command line, and the usage of the command."""
    context = error.ctx if isinstance(error, click.UsageError) else None
    if context and isinstance(error, click.exceptions.NoArgsIsHelpError):
        block(context.get_help(), error=True)
        return
    if context:
        block(context.get_usage(), error=True)
        line(f"`{context.command_path} --help` explains its arguments and options.", error=True)
        line(error=True)
    message = error.format_message()
    if isinstance(error, click.NoSuchOption) and error.option_name == "--home":
        message = "--home stands before the command: kg-build --home FOLDER COMMAND …"
    line(f"Error: {message}", error=True)


def filter_standard_streams() -> None:
    """Also sends the logs, warnings and tracebacks of Python through the filter.

    A character that the terminal's encoding lacks is printed as a question mark. Standard input and
    output that are closed can't be used, and what goes to a closed standard error is lost.
    """
    for name, way in (("stdin", os.O_WRONLY), ("stdout", os.O_RDONLY), ("stderr", os.O_WRONLY)):
        if getattr(sys, name) is None:  # or the next file or socket that is opened has its number
            number = os.open(os.devnull, way)
            setattr(sys, name, os.fdopen(number, "r" if name == "stdin" else "w"))
        if reconfigure := getattr(getattr(sys, name), "reconfigure", None):
            reconfigure(errors="replace")
    sys.stdout = cast("TextIO", _Standard(sys.stdout, ends=True))
    sys.stderr = cast("TextIO", _Standard(sys.stderr, ends=False))
    logging.lastResort = _Log(logging.WARNING)
    warnings.showwarning = _show_warning  # type: ignore[assignment] # it needs no line of code
    sys.excepthook = _show_exception


def log_as(form: logging.Formatter) -> None:
    """Prints log records on standard error in a form from now on, those of libraries, too."""
    handler = _Log()
    handler.setFormatter(form)
    logging.getLogger().addHandler(handler)


def ended(code: int) -> int:
    """Prints what is left in the buffers. Returns the exit code, 1 for 0 if not all was printed.

    A sentence on the other stream says why. A pipe whose reader has gone needs none.
    """
    streams = [cast("_Standard", stream) for stream in (sys.stdout, sys.stderr)]
    for stream in streams:
        stream.ends = False
        stream.flush()
    lost = [one.error for one in streams if one.error]
    if len(lost) == 1 and not isinstance(lost[0], BrokenPipeError):
        line(f"The output can't be written: {lost[0].strerror}.", error=bool(streams[0].error))
    return code or bool(lost)


class _Standard:
    """Standard output or standard error. After an `error`, what is printed is lost.

    If it `ends` the command, the error raises click.exceptions.Exit.
    """

    def __init__(self, stream: TextIO, *, ends: bool) -> None:
        self._stream, self.ends = stream, ends
        self.error: OSError | None = None

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401 - whatever the stream has
        found = getattr(self._stream, name)
        return partial(self._tried, found) if name in {"write", "flush"} else found

    def _tried(self, work: Callable[..., object], *given: str) -> None:
        try:
            work(*given)
        except OSError as error:
            self.error = self.error or error
            # What is in the buffer is tried again, at the latest at the end of the process.
            os.dup2(os.open(os.devnull, os.O_WRONLY), self._stream.fileno())
        if self.error and self.ends:  # each time: click ignores an error of the first writing
            raise click.exceptions.Exit(1)


class _Log(logging.Handler):
    """Prints the log records of libraries. Python uses it where no other handler is set."""

    def emit(self, record: logging.LogRecord) -> None:
        block(self.format(record), error=True)


def _show_warning(message: Warning | str, category: type[Warning], *_place: object) -> None:
    line(f"{category.__name__}: {message}", error=True)


def _show_exception(
    kind: type[BaseException], error: BaseException, trace: "TracebackType | None"
) -> None:
    block("".join(traceback.format_exception(kind, error, trace)), error=True)


def _with_home(text: str) -> str:
    """Returns a text with the commands in it as they work here.

    They have the option --home and, where the program is not on the PATH, its own path.
    """
    own = Path(sys.argv[0])
    found = own.name != PROGRAM or shutil.which(PROGRAM) is not None
    program = PROGRAM if found else shlex.quote(str(own))
    given = f" --home {shlex.quote(str(home))}" if home else ""
    return _COMMAND.sub(lambda found: f"{found[1]}{program}{given} ", text)


def _styled(text: str, style: Style) -> str:
    if style in {"", "bold", "dim"}:
        return click.style(text, bold=style == "bold" or None, dim=style == "dim" or None)
    return click.style(text, fg=style)


def _escaped(found: re.Match[str]) -> str:
    units = found[0].encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{units[n : n + 2].hex()}" for n in range(0, len(units), 2))

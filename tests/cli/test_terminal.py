"""What reaches a terminal: text of others as text, and nothing that a terminal would obey."""

import json
import re
import sys
import unicodedata
from pathlib import Path

import click
import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphrag_neo4j.cli.output import terminal
from graphrag_neo4j.cli.output.answer import print_answer
from graphrag_neo4j.query.answer import Answer, Citation, Source

CLI = Path(terminal.__file__).parent
# How a module would print past the one that prints.
PRINTS = re.compile(
    r"\b(?:print|input)\(|\b(?:import|from) rich\b|\bsys\.std(?:out|err)\b|\.show\("
    r"|\bfrom click import|\bclick\.(?:s?echo|echo_via_pager|prompt|confirm|getchar|pause)\b"
)
NEEDED = {"\u200c", "\u200d"}  # Persian, Hindi and emoji join letters with them


@pytest.mark.parametrize("path", sorted(CLI.glob("*.py")), ids=lambda path: path.stem)
def test_only_one_module_prints(path: Path) -> None:
    assert bool(PRINTS.search(path.read_text("utf-8"))) == (path.stem == "terminal")


def obeyed(text: str) -> set[str]:
    """What in a text a terminal obeys, or what hides there: categories Cc, Cf, Cs, Zl and Zp."""
    kinds = {"Cc", "Cs", "Zl", "Zp"}
    return {
        c
        for c in text
        if (unicodedata.category(c) in kinds and c not in "\n\t")
        or (unicodedata.bidirectional(c) in {"LRE", "RLE", "LRO", "RLO", "PDF"})
        or (unicodedata.bidirectional(c) in {"LRI", "RLI", "FSI", "PDI"})
        or 0xE0000 <= ord(c) <= 0xE007F
        or c in "\u061c\u200b\u200e\u200f\u2060\ufeff"
    }


def test_every_character_that_a_terminal_obeys_is_kept_back() -> None:
    everything = "".join(map(chr, range(sys.maxunicode + 1)))
    shown = terminal.harmless(everything, lines=True)
    assert obeyed(shown) == set()
    assert set("\n\t") | NEEDED <= set(shown)
    assert not set("\n\t") & set(terminal.harmless(everything))
    lost = set(everything) - set(shown)
    assert all(unicodedata.category(c) in {"Cc", "Cf", "Cs", "Zl", "Zp", "Cn"} for c in lost)


@given(st.text(), st.integers(0, 50))
def test_a_text_in_pieces_is_kept_back_as_the_whole_is(text: str, at: int) -> None:
    pieces = terminal.harmless(text[:at], lines=True) + terminal.harmless(text[at:], lines=True)
    assert obeyed(pieces) == set()
    if text[at - 1 : at + 1] != "\r\n":
        assert pieces == terminal.harmless(text, lines=True)


def test_json_is_exact_and_still_holds_nothing_that_a_terminal_obeys(
    capsys: pytest.CaptureFixture[str],
) -> None:
    value = {"a\x9b2J": "\u202e\x1b[2J\x7f\ud800\U000e0041\u2028\r\n“ü”"}
    terminal.json_text(json.dumps(value, ensure_ascii=False))
    printed = capsys.readouterr().out
    assert json.loads(printed) == value
    assert obeyed(printed) == set()
    assert "“ü”" in printed


def test_markup_and_line_breaks_of_a_text_are_text(capsys: pytest.CaptureFixture[str]) -> None:
    hostile = "[red]a[/] [link=http://x]b[/link]\nc\r\nd\x0be\u2028f\tg"
    shown = "[red]a[/] [link=http://x]b[/link] c d e f g"
    terminal.line(hostile)
    terminal.line("name: ", (hostile, "red"), error=True)
    terminal.table(("", "n"), [(hostile, "1"), ("b", "20")])
    printed = capsys.readouterr()
    assert printed.out.splitlines() == [
        shown,
        f"{'':{len(shown)}}   n",
        f"{shown}   1",
        f"{'b':{len(shown)}}  20",
    ]
    assert printed.err == f"name: {shown}\n"


@given(st.text("ab  \u0301", max_size=60), st.integers(1, 20), st.text("ab ", max_size=20))
def test_wrapping_changes_spaces_alone(text: str, width: int, before: str) -> None:
    wrapped = terminal.wrapped(text, width, before)
    assert wrapped.split() == text.split()
    whole = before + wrapped
    assert all(
        len(one) <= max(width, *map(len, whole.split(" "))) or " " not in one.strip()
        for one in whole.split("\n")[1:]
    )


def test_a_styled_line_is_wrapped_and_indented_as_a_plain_one(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "20")
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    text = "  Marley was dead, to begin with."
    terminal.line(text)
    terminal.line(text, style="yellow")
    terminal.line(("  Marley was ", "bold"), "dead, to begin with.")
    assert click.unstyle(capsys.readouterr().out) == "  Marley was dead,\n  to begin with.\n" * 3


def test_an_answer_of_a_model_ends_with_the_number_of_its_sources_and_each_flaw(
    capsys: pytest.CaptureFixture[str],
) -> None:
    places = [Source(f"{n % 7}.txt", "Carol", n, 0, 4, "Dead") for n in range(8)]
    citations = [
        Citation("Entities", 1, "Marley", supported=True, sources=places),
        Citation("Sources", 4, "Carol", supported=True, sources=places[4:], misquoted=["Alive."]),
    ]
    answer = Answer("Dead [Data: Entities (1)].", "local", citations)
    print_answer(answer, streamed=False)
    assert capsys.readouterr().out.splitlines()[2:-2] == [
        "Sources: 8 passages of 7 documents. --sources prints them all.",
        "  0.txt (Carol): 2 passages",
        *(f"  {n}.txt (Carol): 1 passage" for n in range(1, 5)),
        "  and 2 more documents",
        "  Sources (4): Carol (the quotation “Alive.” is not there word for word)",
    ]
    print_answer(answer, streamed=False, sources=True)
    assert "    0.txt (Carol)\n" in capsys.readouterr().out

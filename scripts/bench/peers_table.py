"""Prints what scripts/bench/peers.py has measured, as a table in Markdown."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

__all__ = ["print_tables"]

Results = Mapping[str, Any]
Cell = Callable[[Results], str]

NONE = "–"
KINDS = ("documents", "chunks", "entities", "names", "relationships", "communities", "reports")
KEPT = ("entities", "relationships", "reports")


def print_tables(machine: str, programs: Mapping[str, Results]) -> None:
    """The table of all programs, and the last lines of those that did not end."""
    print(f"\n{machine}\n")
    print(_row("", list(programs)))
    print(_row("---", ["---"] * len(programs)))
    for title, cell in ROWS:
        print(_row(title, [_told(cell, one) for one in programs.values()]))
    for name, one in programs.items():
        if ended := one.get("ended"):
            print(f"\n{name}: {ended}")


def _row(title: str, cells: Sequence[str]) -> str:
    return f"| {' | '.join((title, *cells))} |"


def _told(cell: Cell, one: Results) -> str:
    """The cell, or a dash where a program did not come as far as this step."""
    try:
        return cell(one)
    except KeyError:
        return NONE


def _counts(name: str) -> Cell:
    return lambda one: ", ".join(f"{one[name][k]:,} {k}" for k in KINDS if k in one[name]) or "none"


def _share(name: str) -> Cell:
    """Calls of a run, and their share of those of a whole index."""
    return lambda one: (
        f"{one[name]['calls']:,} ({one[name]['calls'] / max(1, one['whole']['calls']):.0%})"
    )


def _number(name: str, key: str) -> Cell:
    return lambda one: f"{one[name][key]:,}"


def _memory(one: Results) -> str:
    own, server = one["whole"]["memory"], one["whole"]["server_memory"]
    return f"{own:,} MB" + (f", Neo4j {server:,} MB" if server else "")


def _questions(key: str, unit: str) -> Cell:
    return lambda one: ", ".join(
        f"{method} {run[key]:,}{unit}" + (f" (exit code {run['code']})" if run["code"] else "")
        for method, run in one["questions"].items()
    )


def _failing(one: Results) -> str:
    return f"{one['failing']['failed']:,} of {one['failing']['calls']:,}"


def _kept(name: str) -> Cell:
    """What a run kept of a whole index, and what a program says that it has still to do."""
    return lambda one: ", ".join(
        [f"{one[name].get(k, 0):,} of {one['counts'][k]:,} {k}" for k in KEPT if k in one["counts"]]
        + [f"{one[name][k]:,} {k}" for k in ("pending items",) if k in one[name]]
    )


def _installed(one: Results) -> str:
    return f"{len(one['installed']['versions'])} packages, {one['installed']['megabytes']:,} MB"


def _versions(one: Results) -> str:
    first = one["installed"]["requirements"][0].partition("==")
    return first[2] or "this checkout"


ROWS: Sequence[tuple[str, Cell]] = (
    ("version", _versions),
    ("installation", _installed),
    ("seconds of the installation", _number("installed", "seconds")),
    ("index: seconds", _number("whole", "seconds")),
    ("index: calls", _number("whole", "calls")),
    ("index: tokens in", _number("whole", "tokens_in")),
    ("index: tokens out", _number("whole", "tokens_out")),
    ("index: peak memory", _memory),
    ("index: exit code", _number("whole", "code")),
    ("in it", _counts("counts")),
    ("the same once more: calls", _share("again")),
    ("cold question: seconds", _questions("seconds", " s")),
    ("cold question: calls", _questions("calls", "")),
    ("one document added: calls", _share("added")),
    ("one document added: tokens in", _number("added", "tokens_in")),
    ("one document added: seconds", _number("added", "seconds")),
    ("after it", _counts("added counts")),
    ("5 % of the calls fail: failed", _failing),
    ("5 % of the calls fail: exit code", _number("failing", "code")),
    ("5 % of the calls fail: kept", _kept("failing counts")),
    ("second run: calls", _share("failing, second")),
    ("second run: exit code", _number("failing, second", "code")),
    ("second run: kept", _kept("failing, second counts")),
    ("killed after half of the calls: kept", _kept("killed counts")),
    ("run after the kill: calls", _share("killed, second")),
    ("run after the kill: exit code", _number("killed, second", "code")),
    ("run after the kill: kept", _kept("killed, second counts")),
)

"""The id map: the node that each row of a table became, and the ref of each node."""

from collections.abc import Iterable
from dataclasses import dataclass, field

__all__ = ["Counted", "IdMap"]


@dataclass(frozen=True, slots=True)
class Counted:
    """The result for the rows of one table.

    `rows` is the number of all rows, and `made` the number of nodes that they became (pairs, in the
    case of relationships). `merged` counts the rows whose node another row had already made.
    `implied` counts nodes without a row of their own, `unmapped` rows that became no node.
    """

    rows: int
    made: int
    merged: int
    implied: int
    unmapped: int


@dataclass(slots=True)
class IdMap:
    """The nodes that the rows of one table became, by the number of each row.

    Reports of the tables cite rows by their numbers. Where several rows became one node, the
    smallest number is its ref.
    """

    ids: dict[int, str] = field(default_factory=dict)
    refs: dict[str, int] = field(default_factory=dict)
    nodes: set[str] = field(default_factory=set)
    entered: int = 0

    def enter(self, number: int | None, node: str) -> None:
        """Adds the node of a row; a number that another row already has keeps that row's node."""
        self.entered += 1
        self.nodes.add(node)
        if number is not None and self.ids.setdefault(number, node) == node:
            self.refs[node] = min(number, self.refs.get(node, number))

    def ref(self, number: int) -> int:
        """The ref of the node of this number; the number itself if no row has it."""
        node = self.ids.get(number)
        return number if node is None else self.refs[node]

    @property
    def known(self) -> dict[int, str]:
        """The node of each ref."""
        return {ref: node for node, ref in self.refs.items()}

    def counted(self, rows: int, implied: Iterable[str] = ()) -> Counted:
        """The counts of the table; `rows` is the number of all its rows, `implied` other nodes."""
        made = len(self.nodes)
        return Counted(
            rows, made, self.entered - made, len({*implied} - self.nodes), rows - self.entered
        )

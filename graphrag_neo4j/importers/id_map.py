"""Which node each row of a table became, and the ref that each node gets."""

from collections.abc import Iterable
from dataclasses import dataclass, field

__all__ = ["Counted", "IdMap"]


@dataclass(frozen=True, slots=True)
class Counted:
    """What became of the rows of one table.

    `made` nodes (of relationships: pairs), `merged` into one that another row had made already,
    `implied` nodes that have no row of their own, `unmapped`: rows of which nothing came.
    """

    rows: int
    made: int
    merged: int
    implied: int
    unmapped: int


@dataclass(slots=True)
class IdMap:
    """The nodes that the rows of one table became, by the number that each row is cited by.

    Where several rows became one node, the smallest number is its ref.
    """

    ids: dict[int, str] = field(default_factory=dict)
    refs: dict[str, int] = field(default_factory=dict)
    nodes: set[str] = field(default_factory=set)
    entered: int = 0

    def enter(self, number: int | None, node: str) -> None:
        """A row became this node; a number that another row has already leads to that one's."""
        self.entered += 1
        self.nodes.add(node)
        if number is not None and self.ids.setdefault(number, node) == node:
            self.refs[node] = min(number, self.refs.get(node, number))

    def ref(self, number: int) -> int:
        """The ref of what a number stands for; the number itself where it stands for nothing."""
        node = self.ids.get(number)
        return number if node is None else self.refs[node]

    @property
    def known(self) -> dict[int, str]:
        """The node that each ref names."""
        return {ref: node for node, ref in self.refs.items()}

    def counted(self, rows: int, implied: Iterable[str] = ()) -> Counted:
        """Of so many rows in all; `implied` are other nodes."""
        made = len(self.nodes)
        return Counted(
            rows, made, self.entered - made, len({*implied} - self.nodes), rows - self.entered
        )

"""The numbers of the paper, as its tables print them."""

import json
from pathlib import Path
from typing import Any, NamedTuple

from graphrag_neo4j.extras.evaluate.tasks.judges import Metric

__all__ = ["PAPER", "Row", "rows_of", "table_6"]

PAPER: dict[str, Any] = json.loads(
    Path(__file__).with_name("paper.json").read_text(encoding="utf-8")
)


class Row(NamedTuple):
    """A row of Table 6: the mean score of `one` against `other`, Z, and the printed p."""

    metric: Metric
    corpus: str
    one: str
    other: str
    mean: float
    z: float
    p: str


def table_6() -> list[Row]:
    """All rows that the paper prints, 76."""
    return [Row(*row) for row in PAPER["table_6"]]


def rows_of(metric: Metric, corpus: str) -> list[Row]:
    """The rows of one test, which Holm's method adjusts together."""
    return [row for row in table_6() if (row.metric, row.corpus) == (metric, corpus)]

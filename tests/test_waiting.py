"""What a person sees while Neo4j starts or stops."""

import pytest

from graphrag_neo4j.cli.output.progress import Bars, Lines
from graphrag_neo4j.cli.output.terminal import Drawing
from graphrag_neo4j.model.events import Waiting


def test_in_a_pipe_a_long_wait_is_a_few_lines_and_a_short_one_none(
    capsys: pytest.CaptureFixture[str],
) -> None:
    lines = Lines()
    for second in range(41):
        lines(Waiting("Neo4j is starting", float(second)))
    lines(Waiting("", 41.0))
    for second in range(10):
        lines(Waiting("Neo4j is stopping", float(second)))
    assert capsys.readouterr().err.splitlines() == [
        "Neo4j is starting: 16 s",
        "Neo4j is starting: 32 s",
    ]


def test_on_a_terminal_a_wait_is_one_line_that_is_gone_when_it_is_over() -> None:
    drawing = Drawing(fleeting=True)
    progress = drawing._progress
    bars = Bars(drawing)
    bars(Waiting("Neo4j is starting", 1.0))
    bars(Waiting("Neo4j is starting (its log: Bolt enabled.)", 2.0))
    [line] = progress.tasks
    assert line.description == "Neo4j is starting (its log: Bolt enabled.)"
    assert (line.fields["count"], line.total) == ("2 s", None)
    bars(Waiting("", 3.0))
    assert progress.tasks == []
    drawing.rest()

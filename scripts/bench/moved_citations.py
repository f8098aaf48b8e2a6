"""How strict the words are: the findings of a graph's reports, with their own citations and others.

    kg-build eval ground FOLDER --reports --words
    python scripts/bench/moved_citations.py FOLDER

The second row gives each citation the text that another finding cites. A good measure finds hardly
any support there. No model and no Neo4j are needed.
"""

import sys
import tempfile
from collections.abc import Sequence
from dataclasses import replace

import anyio

from graphrag_neo4j.extras.evaluate.folder import AnswerRecord, EvaluationFolder
from graphrag_neo4j.extras.evaluate.groundedness import Groundedness, groundedness_of, support_step
from graphrag_neo4j.model.events import silent
from graphrag_neo4j.settings import load_settings


def main() -> None:
    """Prints the shares for the citations as they are, and for those that were moved."""
    folder = EvaluationFolder(sys.argv[1])
    whole = [replace(one, condition="all reports") for one in folder.findings]
    cited = [one for one in whole if one.sources]
    half = len(cited) // 2
    moved = [_moved(one, cited[(n + half) % len(cited)]) for n, one in enumerate(cited)]
    print(f"{len(whole):,} findings")
    for name, texts in (("own citations", whole), ("moved citations", moved)):
        one = anyio.run(_grounded, texts)
        counts = (one.supported, one.partly, one.unsupported)
        shares = "  ".join(f"{100 * n / one.judged:.1f} %" for n in counts)
        print(f"{name}: {one.cited:,} cited statements; supported, partly, not: {shares}")


def _moved(one: AnswerRecord, other: AnswerRecord) -> AnswerRecord:
    """Returns a finding whose citations lead to what another finding cites."""
    given = other.sources
    sources = [
        replace(source, text=given[n % len(given)].text) for n, source in enumerate(one.sources)
    ]
    return replace(one, sources=sources)


async def _grounded(texts: Sequence[AnswerRecord]) -> Groundedness:
    settings, judge = load_settings(), "words"
    with tempfile.TemporaryDirectory() as path:
        folder = EvaluationFolder(path)
        await support_step(texts, folder, settings, judge).complete(silent)
        [found] = groundedness_of(texts, folder, settings, judge)
    return found


if __name__ == "__main__":
    main()

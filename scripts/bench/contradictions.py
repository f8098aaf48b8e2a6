"""How many of the contradictions that are shown are some, on two labelled sets.

    python scripts/bench/contradictions.py                # the rules
    python scripts/bench/contradictions.py --with-model   # a model judges pairs

The documents of a set become a graph without a model. Each set in tests/data/contradictions has 40
made-up documents, 20 labelled contradictions and 30 pairs that look like some. The first rules were
chosen on the first set, with the second one kept back; then they were made stricter, since they
found contradictions in minutes that have none. A pair that is neither is printed, to be judged by a
person.
"""

import argparse
import json
import tempfile
from pathlib import Path
from typing import Any

import anyio

from graphrag_neo4j import AsyncGraphRAG, Document, embedded
from graphrag_neo4j.settings import load_settings
from graphrag_neo4j.text.strings import flat

SETS = Path(__file__).parents[2] / "tests" / "data" / "contradictions"
Pair = frozenset[tuple[str, str]]


def pairs_of(labels: list[dict[str, Any]]) -> set[Pair]:
    return {frozenset((s, flat(text)) for s, text in (one["one"], one["other"])) for one in labels}


async def work(name: str, home: Path, with_model: bool) -> None:
    data = json.loads((SETS / f"{name}.json").read_text("utf-8"))
    documents = [
        Document(one["text"], one["source"], one["title"], {"date": one["date"] or ""})
        for one in data["documents"]
    ]
    settings = load_settings(home=home)
    free = load_settings(home=home, model="extractive", embedding_model="static")
    try:
        async with AsyncGraphRAG(free) as rag:
            await rag.index(documents)
        async with AsyncGraphRAG(settings) as rag:
            found = await rag.contradictions(with_model=with_model)
    finally:
        embedded.stop(settings)
    shown = [frozenset((s.source.document, s.text) for s in one.statements) for one in found]
    right, decoys = pairs_of(data["contradictions"]), pairs_of(data["decoys"])
    counts = f"{len(right.intersection(shown))} labelled, {len(decoys.intersection(shown))} decoys"
    print(f"{name}: {len(shown)} shown, {counts}, of {len(right)} labelled")
    for pair in shown:
        if pair not in right | decoys:
            print("  not labelled:", " | ".join(f"{source}: {text}" for source, text in pair))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--with-model", action="store_true")
    given = parser.parse_args()
    for name in ("chosen_on", "kept_back"):
        with tempfile.TemporaryDirectory() as home:
            anyio.run(work, name, Path(home) / "home", given.with_model)


if __name__ == "__main__":
    main()

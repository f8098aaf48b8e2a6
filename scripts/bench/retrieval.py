"""Measures the recall of the passages that a question needs, compared with BM25.

    python scripts/bench/retrieval.py FILE.jsonl… [--home HOME]

A FILE has one question on each line, in the format of MuSiQue: {id, question, answer, paragraphs:
[{idx, title, paragraph_text, is_supporting}]}. The paragraphs of all questions are one corpus. It
is indexed with the settings of the environment; KG_MODEL=extractive needs no model. HOME keeps the
index for the next run. The script prints the mean recall at 2, 5 and 10, and the median time of a
question.
"""

import argparse
import json
import statistics
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import anyio
import bm25s  # type: ignore[import-untyped] # it has no types

sys.path.insert(0, str(Path(__file__).parents[2]))

from graphrag_neo4j import AsyncGraphRAG, Document, embedded
from graphrag_neo4j.settings import EXTRACTIVE, Settings, load_settings

AT = (2, 5, 10)
WAYS: Mapping[str, dict[str, Any]] = {
    "basic": {"method": "basic"},
    "local, one hop": {"method": "local", "expand": "hop"},
    "local, ppr": {"method": "local", "expand": "ppr"},
}
# Passages are all that counts here, and more than ten of them.
ROOM: dict[str, Any] = {"max_context_tokens": 60_000, "text_unit_prop": 1.0, "community_prop": 0.0}
Rank = Callable[[str], Awaitable[list[str]]]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("files", type=Path, nargs="+", metavar="file")
    parser.add_argument("--home", type=Path)
    arguments = parser.parse_args()
    lines = [one for file in arguments.files for one in file.read_text("utf-8").splitlines()]
    asked = [json.loads(line) for line in lines if line.strip()]
    if arguments.home or load_settings().neo4j_uri:
        anyio.run(_measure, _settings(arguments.home), asked)
        return
    with tempfile.TemporaryDirectory() as folder:
        settings = _settings(Path(folder) / "home")
        try:
            anyio.run(_measure, settings, asked)
        finally:
            embedded.stop(settings)


def _settings(home: Path | None) -> Settings:
    settings = load_settings(home=home)
    return settings if settings.has_model else settings.changed(model=EXTRACTIVE)


async def _measure(settings: Settings, asked: Sequence[Mapping[str, Any]]) -> None:
    texts = {_text(p): None for question in asked for p in question["paragraphs"]}
    documents = {f"paragraph:{n}": text for n, text in enumerate(texts)}
    print(f"{len(asked):,} questions, {len(texts):,} paragraphs")
    async with AsyncGraphRAG(settings) as rag:
        titled = [Document(x, name, x.partition("\n")[0]) for name, x in documents.items()]
        built = await rag.index(titled)
        if not built.complete or built.status is None:
            sys.exit(f"The index is not complete: {built.stopped or built.status}")
        if built.status.counts["documents"] != len(documents):
            sys.exit("HOME holds other documents, too: name another one, where there is none yet.")
        print(f"{'':16}" + "".join(f"{'@' + str(k):>8}" for k in AT) + "      ms")
        await _say("BM25", asked, documents, _bm25(documents))
        for name, how in WAYS.items():
            await _say(name, asked, documents, partial(_found, rag, how))


def _text(paragraph: Mapping[str, Any]) -> str:
    return f"{paragraph['title']}\n{paragraph['paragraph_text']}"


def _bm25(documents: Mapping[str, str]) -> Rank:
    """Ranks the documents by BM25 with the defaults of the package and English stop words."""
    split = partial(bm25s.tokenize, stopwords="en", show_progress=False)
    index = bm25s.BM25(corpus=list(documents))
    index.index(split(list(documents.values())), show_progress=False)
    k = min(max(AT), len(documents))

    async def rank(question: str) -> list[str]:
        found, _ = index.retrieve(split([question]), k=k, show_progress=False)
        return [str(name) for name in found[0]]

    return rank


async def _found(rag: AsyncGraphRAG, how: Mapping[str, Any], question: str) -> list[str]:
    """Returns the documents of the passages in the context of an answer, the best first."""
    answer = await rag.query(question, context_only=True, **how, **ROOM)
    sources = answer.context[0].by_kind().get("Sources", [])
    return [place.document for place in await rag.sources(*(record.ref for record in sources))]


async def _say(
    name: str, asked: Sequence[Mapping[str, Any]], documents: Mapping[str, str], rank: Rank
) -> None:
    recalls, seconds = [], []
    for question in asked:
        wanted = {_text(p) for p in question["paragraphs"] if p["is_supporting"]}
        began = time.perf_counter()
        names = dict.fromkeys(await rank(question["question"]))  # of a long one several chunks
        seconds.append(time.perf_counter() - began)
        first = [documents[name] for name in names]
        recalls.append([len(wanted.intersection(first[:k])) / len(wanted) for k in AT])
    means = [statistics.fmean(column) for column in zip(*recalls, strict=True)]
    numbers = "".join(f"{mean:8.3f}" for mean in means)
    print(f"{name:16}{numbers}{1000 * statistics.median(seconds):8.0f}")


if __name__ == "__main__":
    main()

"""Makes data/sample_by_model/read.json, which `kg-build sample` brings. See scripts/record_sample.

A reply is found by what was asked: a list by its passage, a verdict by its names, a description by
its texts, and a report by the names of the entities, or the titles of the reports, that it was
written from.
"""

import gzip
import json
import re
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, TypedDict

import anyio
import anyio.to_thread

from graphrag_neo4j import embedded
from graphrag_neo4j.backends import Backends
from graphrag_neo4j.client.async_client import AsyncGraphRAG
from graphrag_neo4j.errors import ReplyError
from graphrag_neo4j.extras.sample import (
    FOLDER,
    READ_BY_MODEL,
    Named,
    SampleBackend,
    index_sample,
    key_of_members,
    key_of_passage,
    refs_of,
)
from graphrag_neo4j.files import data
from graphrag_neo4j.graph.connection import Graph
from graphrag_neo4j.index.status import Failure
from graphrag_neo4j.llm.tasks.index_backend import LLMIndexBackend
from graphrag_neo4j.model.citations import CitationKind, CitationRef, rewrite
from graphrag_neo4j.model.context import ContextTable
from graphrag_neo4j.model.contracts import RunTask
from graphrag_neo4j.model.events import silent
from graphrag_neo4j.model.material import ReportMaterial
from graphrag_neo4j.model.types import (
    ChunkText,
    DescribedThing,
    Extraction,
    LLMTask,
    NamePair,
    NameVerdict,
    Reply,
    Request,
    Step,
    T,
    WrittenReport,
)
from graphrag_neo4j.settings import Settings, load_settings

MARKED = re.compile(r"<text (\w+)>\n(.*?)\n</text \1>", re.DOTALL)
TITLE = re.compile(r"# (.*?) #(?: |$)")
PAIR = re.compile(r"^Pair (\d+)\nA: (.*?) \| .*\nB: (.*?) \| ", re.MULTILINE)


class Reading(TypedDict):
    """The content of the file."""

    passages: dict[str, dict[str, list[list[Any]]]]
    names: list[list[str]]
    descriptions: dict[str, str]
    reports: dict[str, dict[str, Any]]


def nothing_read() -> Reading:
    """Returns the content of a file that holds nothing."""
    return {"passages": {}, "names": [], "descriptions": {}, "reports": {}}


class Recorded:
    """Recorded replies of a model. `lists` has them by passage and number of messages."""

    def __init__(self, requests: Iterable[Mapping[str, Any]]) -> None:
        self.lists: dict[tuple[str, int], str] = {}
        self.verdicts: dict[frozenset[str], NameVerdict] = {}
        self.descriptions: dict[frozenset[str], str] = {}
        self.reports: dict[frozenset[str], str] = {}
        self.named: dict[CitationRef, Named] = {}
        for one in requests:
            messages = [message["content"] for message in one["messages"]]
            shown, reply = [text for _, text in MARKED.findall(messages[0])], one["reply"]
            match one["kind"]:
                case "extraction" | "gleaning":
                    self.lists[shown[-1], len(messages)] = reply
                case "names":
                    names = {int(n): frozenset(both) for n, *both in PAIR.findall(shown[-1])}
                    for it in json.loads(reply)["pairs"]:
                        verdict = NameVerdict(it["verdict"], it["reason"])
                        self.verdicts[names[it["pair"]]] = verdict
                case "description":
                    self.descriptions[_texts(shown[-1].splitlines())] = reply
                case "descriptions":
                    for it in json.loads(reply)["descriptions"]:
                        texts = shown[it["thing"] - 1].splitlines()
                        self.descriptions[_texts(texts)] = it["description"]
                case "report":
                    self.reports[self._read_tables(shown[-1])] = reply

    def _read_tables(self, context: str) -> frozenset[str]:
        """Notes what the refs of a context stand for, and returns its names and titles."""
        shown, kind = set[str](), "Entities"
        for line in context.splitlines():
            ref, *fields = line.split(" | ")
            if line.startswith("# "):
                kind = line[2:]
            elif kind == "Entities" and ref.isdigit():
                self.named["Entities", int(ref)] = ("Entities", fields[0])
                shown.add(fields[0])
            elif kind == "Relationships" and ref.isdigit():
                ends = sorted((fields[0], fields[-2]))
                self.named["Relationships", int(ref)] = ("Relationships", *ends)
            elif kind == "Reports" and (title := TITLE.match(" | ".join(fields))):
                self.named["Reports", int(ref)] = ("Reports", title[1])
                shown.add(title[1])
        return frozenset(shown)


def _texts(lines: Iterable[str]) -> frozenset[str]:
    return frozenset(line.removeprefix("- ") for line in lines)


class RecordingBackend(SampleBackend):
    """Gives what the file has, then what was recorded, then what a model replies; notes it all."""

    def __init__(self, before: Reading, recorded: Recorded, settings: Settings) -> None:
        super().__init__(before)
        self._before, self._recorded = before, recorded
        self._llm = LLMIndexBackend(settings)
        self.made = nothing_read()

    def signature(self, _step: Step) -> str:
        return f"{FOLDER} recorded"

    def extract(self, chunk: ChunkText) -> LLMTask[Extraction]:
        key = key_of_passage(chunk.text)
        if key in self._before["passages"]:
            found = yield from super().extract(chunk)
        else:
            found = yield from self._replied(
                self._llm.extract(chunk),
                lambda asked: self._recorded.lists.get((chunk.text, len(asked.messages))),
            )
        self.made["passages"][key] = {
            "entities": [[e.name, e.type, e.description] for e in found.entities],
            "relationships": [
                [r.source, r.target, r.description, r.strength, r.predicate]
                for r in found.relationships
            ],
        }
        return found

    def summarize(self, things: Sequence[DescribedThing]) -> LLMTask[list[str | ReplyError]]:
        made = list[str | ReplyError]()
        for thing in things:
            text = self._before["descriptions"].get(thing.name)
            text = text or self._recorded.descriptions.get(_texts(thing.descriptions))
            found = [text] if text else (yield from self._llm.summarize([thing]))
            if isinstance(found[0], str):
                self.made["descriptions"][thing.name] = found[0]
            made += found
        return made

    def compare(self, pairs: Sequence[NamePair]) -> LLMTask[list[NameVerdict | None]]:
        known = self._verdicts | self._recorded.verdicts
        names = [frozenset((pair.one.name, pair.other.name)) for pair in pairs]
        asked = [pair for pair, both in zip(pairs, names, strict=True) if both not in known]
        replied = (yield from self._llm.compare(asked)) if asked else []
        for pair, verdict in zip(asked, replied, strict=True):
            if verdict:
                known[frozenset((pair.one.name, pair.other.name))] = verdict
        for both in names:
            if found := known.get(both):
                self.made["names"].append([*sorted(both), found.verdict, found.reason])
        return [known.get(both) for both in names]

    def reports(
        self, contexts: Sequence[tuple[ContextTable, ReportMaterial]]
    ) -> LLMTask[list[WrittenReport | ReplyError]]:
        made = list[WrittenReport | ReplyError]()
        for table, material in contexts:
            try:
                made.append((yield from self._one(table, material)))
            except ReplyError as error:
                made.append(error)
        return made

    def _one(self, table: ContextTable, material: ReportMaterial) -> LLMTask[WrittenReport]:
        key, refs = key_of_members(material), refs_of(material)
        if known := self._before["reports"].get(key):
            self.made["reports"][key] = known
            return self._report(table, material)
        of_reports = {part.id: part.title.text for part in material.parts}
        of_entities = {one.record.id: one.name for one in material.entities.values()}
        shown = {
            of_reports[id_] if kind == "Reports" else of_entities[id_]
            for kind, id_ in table.records
            if kind in {"Reports", "Entities"}
        }
        reply = self._recorded.reports.get(frozenset(shown))

        def here(kind: CitationKind | None, ref: int) -> int | None:
            named = self._recorded.named.get((kind, ref)) if kind else None
            return refs.get(named) if named else None

        task = self._llm.report(table.text, material)
        report = yield from self._replied(task, lambda _: reply and rewrite(reply, here))
        self.made["reports"][key] = _as_read(report, refs)
        return report

    def _replied(self, task: LLMTask[T], find: Callable[[Request], str | None]) -> LLMTask[T]:
        """Runs a task with the replies that are found, and with those of a model for the others."""
        try:
            request = next(task)
            while True:
                text = find(request)
                request = task.send((yield request) if text is None else Reply(text))
        except StopIteration as done:
            result: T = done.value
            return result


def _as_read(report: WrittenReport, refs: Mapping[Named, int]) -> dict[str, Any]:
    """Returns a report as the file has it: its citations are numbers of the list `cites`."""
    named = {(one[0], ref): one for one, ref in refs.items()}
    cites: dict[Named, int] = {}

    def number(kind: CitationKind | None, ref: int) -> int | None:
        one = named.get((kind or "", ref))
        return cites.setdefault(one, len(cites) + 1) if one else None

    return {
        "title": report.title,
        "summary": rewrite(report.summary, number),
        "rating": report.rating,
        "rating_explanation": rewrite(report.rating_explanation, number),
        "findings": [
            [rewrite(one.summary, number), rewrite(one.explanation, number)]
            for one in report.findings
        ],
        "cites": [list(one) for one in cites],
    }


async def _unanswered(task: LLMTask[T]) -> T:
    """Runs a task without a model; each request that it yields fails."""
    try:
        next(task)
        while True:
            task.throw(ReplyError("no reply is recorded, and no model is set"))
    except StopIteration as done:
        result: T = done.value
        return result


async def make(
    graph: Graph, settings: Settings, before: Reading, recorded: Recorded
) -> tuple[Reading, Sequence[Failure]]:
    """Returns the new content of the file, made in an empty graph, and what it lacks."""
    recording = RecordingBackend(before, recorded, settings)
    run: RunTask = _unanswered
    if settings.has_model:
        run = Backends(settings).endpoint_for(settings).run
    built = await index_sample(
        graph, settings, silent, recording, run=run, workers=settings.concurrency
    )
    recording.made["names"].sort()
    return recording.made, built.status.failures if built.status else ()


async def main(replies: Path | None = None) -> None:
    """Writes the file anew, and prints what it lacks."""
    file = anyio.Path(str(data(READ_BY_MODEL)))
    before = json.loads(await file.read_text("utf-8")) if await file.exists() else nothing_read()
    packed = await anyio.Path(replies).read_bytes() if replies else gzip.compress(b"")
    recorded = Recorded(map(json.loads, gzip.decompress(packed).decode().splitlines()))
    with TemporaryDirectory() as home:
        settings = load_settings(home=Path(home), neo4j_uri=None)
        async with AsyncGraphRAG(settings) as rag:
            made, lacks = await make(rag.graph, settings, before, recorded)
        await anyio.to_thread.run_sync(embedded.stop, settings)
    text = json.dumps(made, ensure_ascii=False, indent=1, sort_keys=True)
    await file.write_text(f"{text}\n", "utf-8")
    for one in lacks:
        print(f"{one.stage}: {one.what}: {one.reason}")
    print(f"{file.name} has {len(made['reports']):,} reports, and lacks {len(lacks):,} replies.")


if __name__ == "__main__":
    anyio.run(main, Path(sys.argv[1]) if len(sys.argv) > 1 else None)

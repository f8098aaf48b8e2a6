"""An index by batches of the provider: the graph of a direct run, at half the price."""

import json
from pathlib import Path

import pytest

from graphrag_neo4j import AsyncGraphRAG
from graphrag_neo4j.errors import InputError, ModelError
from graphrag_neo4j.graph.connection import Graph
from graphrag_neo4j.graph.dump import Dump, dump
from graphrag_neo4j.index.status import IndexResult
from graphrag_neo4j.model.events import Event, Notice, Waiting, silent
from graphrag_neo4j.model.types import Usage
from graphrag_neo4j.settings import Settings
from tests.conftest import Make
from tests.support.fake_endpoint import FakeEndpoint
from tests.support.wiping import emptied, wipe

TALES = tuple(
    text * 8  # long enough to be gleaned
    for text in (
        "Ebenezer Scrooge owned a counting house in London with Jacob Marley. ",
        "Bob Cratchit worked for Ebenezer Scrooge in the counting house in London. ",
        "Jacob Marley came to London as a ghost and warned Ebenezer Scrooge. ",
    )
)


def write(path: Path, *texts: str) -> Path:
    rows = [json.dumps({"id": n, "text": text}) for n, text in enumerate(texts)]
    path.write_text("\n".join(rows), "utf-8")
    return path


@pytest.fixture
def tales(tmp_path: Path) -> Path:
    return write(tmp_path / "tales.jsonl", *TALES)


@pytest.fixture
def given(settings: Make, monkeypatch: pytest.MonkeyPatch) -> Settings:
    """Settings under which three short tales need a model for lists, names and reports."""
    monkeypatch.setattr("graphrag_neo4j.index.batches.rounds.POLL", 0.01)
    return settings(claims=False, model="gpt-4.1-mini", embedding_model="static")


async def index(
    given: Settings, path: Path, *, batch: bool = False, wait: bool = False, prune: bool = False
) -> IndexResult:
    async with AsyncGraphRAG(given) as rag:
        return await rag.index(path, batch=batch, wait=wait, prune=prune)


async def direct(graph: Graph, given: Settings, path: Path) -> tuple[Dump, Usage]:
    """The dump and the use of a direct run; the graph is empty again."""
    result = await index(given, path)
    assert result.complete
    return await emptied(graph), Usage.total(result.usage.values())


async def in_rounds(given: Settings, path: Path) -> IndexResult:
    """The result of the last of many commands one after the other: then nothing waits."""
    for _ in range(40):  # no run of these tests takes more
        result = await index(given, path, batch=True)
        if not result.stopped:
            return result
    raise AssertionError(f"The run still waits: {result.stopped}")


async def left(graph: Graph) -> int:
    """How many batches and requests of batches the graph holds."""
    rows = await graph.run_plain("MATCH (n:Batch|BatchRequest) RETURN count(n) AS n")
    return int(rows[0]["n"])


def twice(endpoint: FakeEndpoint) -> list[str]:
    """The kinds of requests that were answered more than once, but for tests of the window."""
    answered = (call for call in endpoint.log if call.completion_tokens and call.status == 200)
    asked = [call for call in answered if call.kind != "recall"]
    seen = [call.request for call in asked]
    return [call.kind for call in asked if seen.count(call.request) > 1]


async def test_a_run_that_waits_makes_the_graph_of_a_direct_run_for_less(
    graph: Graph, given: Settings, endpoint: FakeEndpoint, tales: Path
) -> None:
    expected, used = await direct(graph, given, tales)
    endpoint.reset()
    result = await index(given, tales, batch=True, wait=True)
    assert result.complete
    assert await dump(graph) == expected
    assert (await left(graph), twice(endpoint)) == (0, [])
    now = Usage.total(result.usage.values())
    # The input tokens differ by those of refs, which depend on the order of saving.
    assert (now.calls, now.output_tokens) == (used.calls, used.output_tokens)
    assert used.cost / 2 < now.cost < used.cost
    assert {call.status for call in endpoint.log if call.path.startswith("/v1/files")} == {200}


async def test_without_waiting_the_same_call_continues(
    graph: Graph, given: Settings, endpoint: FakeEndpoint, tales: Path
) -> None:
    endpoint.change(batch_polls=2)
    first = await index(given, tales, batch=True)
    assert first.stopped
    for said in ("takes up to 24 hours: 1.", "0 of 3", f"at most ${await cost(graph):.4f}"):
        assert said in first.stopped
    assert (first.status and first.status.pending["extract"]) == len(TALES)
    assert not first.complete
    [batch] = first.status.batches if first.status else []
    assert (batch["requests"], batch["answered"]) == (3, 0)
    second = await index(given, tales, batch=True)
    assert second.stopped == first.stopped
    third = await index(given, tales, batch=True)
    assert third.stopped != first.stopped
    assert twice(endpoint) == []


async def cost(graph: Graph) -> float:
    rows = await graph.run_plain("MATCH (batch:Batch) RETURN sum(batch.cost) AS cost")
    return float(rows[0]["cost"])


async def test_lost_requests_are_given_up_and_a_refused_batch_ends_the_run_each_with_its_reason(
    graph: Graph, given: Settings, endpoint: FakeEndpoint, tales: Path
) -> None:
    endpoint.change(batch_lost=1.0)
    result = await index(given.changed(max_retries=1), tales, batch=True, wait=True)
    assert result.status is not None
    reasons = {one.reason for one in result.status.failures if one.stage == "extract"}
    assert reasons == {"the batch ended without a result of this request"}
    assert len([call for call in endpoint.log if call.path == "/v1/batches"]) > 1
    assert await left(graph) == 0
    endpoint.change(batch_lost=0.0, batch_refused="Enqueued token limit reached.")
    with pytest.raises(
        ModelError, match=r"as a whole: Enqueued token limit reached\. If .* set KG_BATCH_REQUESTS"
    ):
        await index(given, tales, batch=True, wait=True)
    endpoint.change(batch_refused="")
    endpoint.reset()
    assert (await index(given, tales, batch=True, wait=True)).complete
    assert (await left(graph), twice(endpoint)) == (0, [])


async def test_what_an_account_has_no_room_for_is_sent_when_other_batches_have_ended(
    graph: Graph, given: Settings, endpoint: FakeEndpoint, tales: Path
) -> None:
    expected, _ = await direct(graph, given, tales)
    endpoint.change(batch_room=1, batch_polls=2)
    with pytest.raises(ModelError, match=r"set KG_BATCH_REQUESTS"):
        await index(given, tales, batch=True, wait=True)
    small = given.changed(batch_requests=1)
    for sent in (index(small, tales, batch=True, wait=True), in_rounds(small, tales)):
        endpoint.reset()
        assert (await sent).complete
        assert (await left(graph), twice(endpoint)) == (0, [])
        assert await emptied(graph) == expected


async def test_a_run_that_waits_outlives_an_endpoint_that_is_away_and_says_so_once(
    graph: Graph, given: Settings, endpoint: FakeEndpoint, tales: Path
) -> None:
    expected, _ = await direct(graph, given, tales)
    endpoint.change(batch_polls=2)
    waits, told = 0, 0

    def listen(event: Event) -> None:
        nonlocal waits, told
        waits += isinstance(event, Waiting) and event.text.startswith("Waiting for the provider")
        told += isinstance(event, Notice) and event.text.endswith("The run goes on waiting.")
        endpoint.change(batches_away=1 <= waits <= 3)

    async with AsyncGraphRAG(given.changed(max_retries=0), listen) as rag:
        assert (await rag.index(tales, batch=True, wait=True)).complete
    assert told == 1
    assert await dump(graph) == expected


async def test_a_direct_run_uses_what_has_come_and_says_what_is_paid_for_twice(
    graph: Graph, given: Settings, endpoint: FakeEndpoint, tales: Path
) -> None:
    expected, _ = await direct(graph, given, tales)
    endpoint.reset()
    await index(given, tales, batch=True)
    assert (await index(given, tales)).complete
    assert twice(endpoint) == []
    assert (await dump(graph), await left(graph)) == (expected, 0)
    await wipe(graph)
    endpoint.change(batch_polls=30)
    await index(given, tales, batch=True)
    told: list[Event] = []
    async with AsyncGraphRAG(given, told.append) as rag:
        assert (await rag.index(tales)).complete
    [warning] = [one.text for one in told if isinstance(one, Notice) and one.warning]
    assert "still wait in batches: 3" in warning
    assert "paid for twice" in warning
    assert await dump(graph) == expected
    endpoint.change(batch_polls=1)
    assert (await index(given, tales, batch=True)).complete  # which drops what the batch brings
    assert (await dump(graph), await left(graph)) == (expected, 0)


async def test_a_direct_run_forgets_a_batch_that_the_endpoint_does_not_know(
    graph: Graph, given: Settings, tales: Path
) -> None:
    await index(given, tales, batch=True)
    with FakeEndpoint() as other:
        elsewhere = given.changed(openai_base_url=other.url)
        with pytest.raises(ModelError, match="is not known to this endpoint"):
            await index(elsewhere, tales, batch=True)
        assert (await index(elsewhere, tales)).complete
    assert await left(graph) == 0


async def test_the_cost_limit_holds_for_the_longest_possible_replies(
    given: Settings, endpoint: FakeEndpoint, tales: Path
) -> None:
    result = await index(given.changed(max_cost=0.003), tales, batch=True, wait=True)
    assert result.stopped
    assert "The cost limit of $0.0030 is reached, since" in result.stopped
    assert endpoint.count("batches") == 0


async def test_a_changed_text_drops_the_reply_to_the_old_one(
    graph: Graph, given: Settings, tales: Path
) -> None:
    changed = (*TALES[:2], "Tiny Tim lived in Camden Town with Bob Cratchit.")
    expected, _ = await direct(graph, given, write(tales, *changed))
    await index(given, write(tales, *TALES), batch=True)
    await index(given, write(tales, *changed), batch=True, prune=True)
    assert (await in_rounds(given, tales)).complete
    assert await dump(graph) == expected
    assert await left(graph) == 0


async def test_batches_need_a_model(alone: Settings, tales: Path) -> None:
    async with AsyncGraphRAG(alone, silent) as rag:
        with pytest.raises(InputError, match="An extractive index asks no model"):
            await rag.index(tales, batch=True)
        with pytest.raises(InputError, match="give wait together with batch"):
            await rag.index(tales, wait=True)

"""`kg-build doctor`: tries each requirement of indexing and queries, and leaves no traces.

Neo4j must be new enough and writable, have both kinds of index, and Leiden must run where KG_GDS
says. Each chat model must reply, stream, write JSON and read the longest prompt whole, as far as
its steps need it. The vectors of the embedding model must fit Neo4j's index.
"""

import json
import re
from collections import defaultdict
from collections.abc import Awaitable, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from typing import Final, TypedDict
from uuid import uuid4

import anyio
import click
from anyio.to_thread import run_sync

from graphrag_neo4j.cli import options
from graphrag_neo4j.cli.output import terminal
from graphrag_neo4j.cli.output.progress import listening
from graphrag_neo4j.client.async_client import AsyncGraphRAG
from graphrag_neo4j.errors import GraphError, GraphRAGError, InputError, ModelError, ReplyError
from graphrag_neo4j.graph.connection import Graph, Transaction
from graphrag_neo4j.graph.indexes import NEUTRAL
from graphrag_neo4j.graph.schema import (
    SCHEMA_VERSION,
    refuse_foreign,
    refuse_newer_version,
    schema_version,
)
from graphrag_neo4j.index.communities.gds import leiden_in_gds
from graphrag_neo4j.index.communities.tree import Leiden
from graphrag_neo4j.llm.endpoint import Endpoint, model_of
from graphrag_neo4j.llm.endpoint.server_checks import needed_window, try_window
from graphrag_neo4j.llm.local_servers import find_local_servers
from graphrag_neo4j.model.events import Listener, silent
from graphrag_neo4j.model.types import Message, Request, Step
from graphrag_neo4j.settings import AUTO, EMBEDDED, LOCAL, MOST_DIMENSIONS, STATIC, Settings
from graphrag_neo4j.settings.installing import needing
from graphrag_neo4j.vectors.encoder import missing_packages

GET_GDS: Final = (
    'Add the plugin "graph-data-science" to that server and let neo4j.conf say '
    "dbms.security.procedures.unrestricted=gds.*, or set KG_GDS to auto or embedded."
)
EDGES = [("a", "b", 1.0), ("b", "c", 1.0), ("a", "c", 1.0), ("x", "y", 1.0)]
STEPS: Sequence[Step] = ("extraction", "summary", "report", "answer", "rating", "judge")
REPLY_TOKENS = 1000  # enough for a model that reasons before it replies with one word
WORD: Final = "Reply with one word: yes."
JSON_WORD: Final = 'Reply with this JSON object and nothing else: {"word": "yes"}'
SCHEMA: Final = {
    "title": "word",
    "type": "object",
    "properties": {"word": {"type": "string", "maxLength": 20}},
    "required": ["word"],
    "additionalProperties": False,
}
CORRECT: Final = "Correct OPENAI_BASE_URL, OPENAI_API_KEY or KG_MODEL."
STREAMS: Final = "Answers are streamed: use a model or a server that can stream."
MARKS: dict[bool | None, tuple[str, terminal.Style]] = {
    True: ("ok", "green"),
    False: ("wrong", "red"),
    None: ("-", "dim"),
}
ABLE: Final = "Use a model that follows instructions better."


@dataclass(frozen=True, slots=True)
class Check:
    """The result of one check.

    `ok` is None if the check was not possible or not needed, which is not an error. `says` is the
    result in one sentence. `fix` says what to do, if `says` does not; it may have several lines.
    """

    name: str
    ok: bool | None
    says: str
    fix: str = ""


@click.command()
@options.json_option
def doctor_command(as_json_: bool) -> None:
    """Check Neo4j and the models, and tell you how to fix problems.

    The checks cover Neo4j, Graph Data Science and the models. Each chat model gets three short
    calls and one prompt as long as the longest that indexing or a question sends (about 14,000
    tokens by default). The command starts the embedded Neo4j if NEO4J_URI is not set.
    """
    settings = options.settings_of()

    async def work() -> list[Check]:
        with listening(quiet=as_json_) as listen:
            return await examine(settings, listen)

    checks = anyio.run(work)
    wrong = sum(check.ok is False for check in checks)
    if as_json_:
        result = {"ok": not wrong, "checks": [asdict(check) for check in checks]}
        terminal.json_text(options.as_json(result))
        raise click.exceptions.Exit(int(bool(wrong)))
    for check in checks:
        mark, style = MARKS[check.ok]
        terminal.line((f"{mark:<7}", style), f"{check.name}: {check.says}")
        for fix in check.fix.split("\n") if check.fix else ():
            terminal.line(f"       {fix}", style="yellow")
    failed = f"{wrong} of {len(checks)} checks failed."
    terminal.line(failed if wrong else "No problems were found.")
    raise click.exceptions.Exit(int(bool(wrong)))


async def examine(settings: Settings, listen: Listener = silent) -> list[Check]:
    """Runs all checks in order. Starts the embedded server if NEO4J_URI is not set."""
    return [*await check_neo4j(settings, listen), *await _check_models(settings)]


async def _tried(
    name: str, work: Awaitable[object], says: str = "", fix: str = "", about: str = ""
) -> Check:
    """Makes a check from `work`: `says`, its result or its error is the sentence after `about`."""
    try:
        result = await work
    except GraphRAGError as error:  # the messages of Neo4j may have several lines
        return Check(name, False, about + " ".join(str(error).split()), fix)
    return Check(name, True, about + (says or str(result)))


def _not_made(reason: str, *names: str) -> list[Check]:
    """A result for each check that is impossible because an earlier check failed."""
    return [Check(name, None, f"Not checked, since {reason}.") for name in names]


class _ServerRow(TypedDict):
    """A component of the server: its versions, the newest first, and its edition."""

    versions: list[str]
    edition: str


class _GdsRow(TypedDict):
    """The version of Graph Data Science."""

    version: str


async def check_neo4j(settings: Settings, listen: Listener = silent) -> list[Check]:
    """Runs all checks of Neo4j. Starts the embedded server if NEO4J_URI is not set."""
    try:
        async with AsyncGraphRAG(settings, listen) as rag:
            # The kernel is the first component.
            kernel = (await rag.graph.read("doctor/components", _ServerRow))[0]
            return [
                check_version(rag.graph.address, kernel["versions"][0], kernel["edition"]),
                *await check_writing(rag.graph),
                await _check_communities(rag.graph, settings, listen),
            ]
    except GraphRAGError as error:
        fix = "Or set NEO4J_URI to a server of your own."
        if settings.neo4j_uri:
            fix = "Without NEO4J_URI the embedded server is used."
        unmade = _not_made("Neo4j can't be used", "Writing", "Indexes", "Schema", "Communities")
        return [Check("Neo4j", False, str(error), fix), *unmade]


def check_version(address: str, version: str, edition: str) -> Check:
    """Checks whether the version of Neo4j is supported; an unknown one is. Both editions are."""
    found = re.match(r"(\d+)\.(\d+)", version)
    ok = found is None or (int(found[1]), int(found[2])) >= (5, 26)
    fix = "" if ok else "Use Neo4j 5.26 (LTS) or a release of 2025 or later."
    says = f"Neo4j {version}, {edition.capitalize()} Edition, answers at {address}."
    return Check("Neo4j", ok, says, fix)


class _Undone(Exception):  # noqa: N818 - not an error: the transaction has shown that it works
    """Rolls a transaction back."""


async def check_writing(
    graph: Graph, dimensions: int = MOST_DIMENSIONS, analyzer: str = NEUTRAL
) -> list[Check]:
    """Checks what is written: nodes, both kinds of index, and the version of the graph's schema."""

    async def undone(*statements: tuple[str, Mapping[str, object]]) -> None:
        async def work(tx: Transaction) -> None:
            for name, parameters in statements:
                await tx.run(name, **parameters)
            raise _Undone

        with suppress(_Undone):
            await graph.transact(work)

    node = undone(("doctor/write", {"id": str(uuid4())}))
    fix = "Set NEO4J_DATABASE to a database and NEO4J_USERNAME to a user that may write."
    writing = await _tried("Writing", node, "The database can be written.", fix)
    if not writing.ok:
        return [writing, *_not_made("nothing can be written", "Indexes", "Schema")]
    indexes = undone(
        ("doctor/vector_index", {"dimensions": dimensions}),
        ("doctor/fulltext_index", {"analyzer": analyzer}),
    )
    says = f"Words and vectors of up to {dimensions} dimensions can be indexed."
    fix = "Use Neo4j 5.26 or newer, as a user who may create indexes."
    return [writing, await _tried("Indexes", indexes, says, fix), await check_schema(graph)]


async def check_schema(graph: Graph) -> Check:
    """Checks whether this program knows the version of the graph's schema."""

    async def ask() -> str:
        version = await schema_version(graph)
        refuse_newer_version(version)
        if version is not None:
            later = (
                ""
                if version == SCHEMA_VERSION
                else f"; a command that writes makes it {SCHEMA_VERSION}"
            )
            return f"The graph has schema version {version}{later}."
        await refuse_foreign(graph)
        return "There is no graph yet."

    return await _tried("Schema", ask())


async def _check_communities(graph: Graph, settings: Settings, listen: Listener) -> Check:
    """Runs Leiden in the GDS of the database, or in the other one that KG_GDS chooses."""
    place = "the Neo4j at that address"
    if settings.gds in {AUTO, EMBEDDED}:
        place = "an embedded server, which is started for this step and stopped after it"
        if settings.gds == AUTO or not settings.neo4j_uri:
            with suppress(GraphError):
                [row] = await graph.read("doctor/gds_version", _GdsRow)
                place = f"Graph Data Science {row['version']} of this Neo4j"

    try:
        with needing("index", "Indexing needs"):
            from graphrag_neo4j.index.communities.hierarchy import Edges  # noqa: PLC0415 - numpy
    except InputError as error:
        return Check("Communities", None, str(error))

    def find() -> None:
        with leiden_in_gds(graph, Leiden(), settings, listen) as detect:
            detect(Edges.of(EDGES, "abcxy"), 1.0)

    says = f"Communities are computed by {place} (KG_GDS={settings.gds})."
    return await _tried("Communities", run_sync(find), says, GET_GDS)


async def _check_models(settings: Settings) -> list[Check]:
    """Makes a few short calls and one long call to each chat model, and one to the embedding model.

    Without a model, it looks for model servers on this machine instead.
    """
    if not settings.has_model:
        says = "No model is set: the index will be extractive, quoted from the documents."
        if settings.lacks_endpoint:
            unasked = f"KG_MODEL is {settings.model}, but neither a key nor an endpoint is set."
            says = f"{unasked} {says}"
        fix = ["To use a model, set OPENAI_API_KEY, or OPENAI_BASE_URL and KG_MODEL, in .env."]
        for server in await find_local_servers():
            fix += [f"{server.says} These lines, in a shell or in .env, use it:", *server.lines]
        return [Check("Model", None, says, "\n".join(fix)), await _check_embedding(settings, None)]
    # Few retries, so that the user soon sees the error.
    quick = settings.model_copy(update={"max_retries": min(settings.max_retries, 1)})
    try:
        endpoint = Endpoint(quick)
    except GraphRAGError as error:
        return [Check("Model", False, str(error)), *_not_made("no model replies", "Embedding")]
    of_model = defaultdict[str, set[Step]](set)
    for step in STEPS:
        if step != "judge" or settings.judge_model:  # only an evaluation needs a judge
            of_model[model_of(settings, step)].add(step)
    checks: list[Check] = []
    async with endpoint:
        for model, steps in of_model.items():
            checks += await _check_model(endpoint, settings, model, frozenset(steps))
        if not any(check.ok for check in checks):
            return [*checks, *_not_made("no model replies", "Embedding")]
        return [*checks, await _check_embedding(settings, endpoint)]


async def _check_model(
    endpoint: Endpoint, settings: Settings, model: str, steps: frozenset[Step]
) -> list[Check]:
    """Checks a model in all ways in which its steps use it."""
    step = next(step for step in STEPS if step in steps)
    about = f"{model} at {_host(settings)}: "

    async def stream() -> None:
        request = Request("answer", (Message("user", WORD),), REPLY_TOKENS)
        if not "".join([piece async for piece in endpoint.stream(request)]).strip():
            raise ReplyError("its stream holds no text.")

    async def write_json() -> str:
        request = Request(step, (Message("user", JSON_WORD),), REPLY_TOKENS, schema=SCHEMA)
        found = re.search(r"\{.*\}", (await endpoint.ask(request)).text, re.DOTALL)
        with suppress(ValueError, TypeError, KeyError):
            json.loads(found[0] if found else "")["word"]
            if "json_schema" not in endpoint.known_of(step).refused:
                return "it writes JSON that follows a schema."
            return "it writes JSON. It refuses schemas, so some replies may be asked for twice."
        raise ReplyError("its reply is not the JSON that it was asked for.")

    reply = endpoint.ask(Request(step, (Message("user", WORD),), REPLY_TOKENS))
    checks = [await _tried("Model", reply, "it replies.", CORRECT, about)]
    if not checks[0].ok:
        return checks
    if "answer" in steps:
        checks.append(await _tried("Streaming", stream(), "it streams.", STREAMS, about))
    if steps - {"extraction", "summary"}:
        fix = f"Reports and global answers need JSON. {ABLE}"
        checks.append(await _tried("JSON", write_json(), "", fix, about))
    return [*checks, await _check_window(endpoint, step, needed_window(settings, steps), about)]


async def _check_window(endpoint: Endpoint, step: Step, size: int, about: str) -> Check:
    """Checks whether a prompt of so many tokens is read whole."""
    try:
        test = await try_window(endpoint, step, size)
    except (ModelError, ReplyError) as error:
        says = f"a prompt of about {size:,} tokens was not answered: {str(error).rstrip('.')}."
        return Check("Context window", False, about + says)
    if test.verdict in {"cut", "refused"}:
        return Check("Context window", False, about + test.problem, test.fix)
    says = f"it reads a prompt of {test.sent:,} tokens whole."
    if test.verdict == "unclear":
        says = f"it did not find a word in a text, so its window is not known. {ABLE}"
    return Check("Context window", test.verdict == "whole" or None, about + says)


async def _check_embedding(settings: Settings, endpoint: Endpoint | None) -> Check:
    """Checks what an index embeds with; it is extractive without an endpoint."""
    model, missing = settings.embedding_model, missing_packages()
    if model == LOCAL or (endpoint is None and model != STATIC and not missing):
        says = missing or "The packages of the sentence encoder are installed"
        return Check("Embedding", not missing, f"{says}.")
    if endpoint is None or model == STATIC:
        return Check("Embedding", True, "The word vectors that come with this project are used.")
    embed, about = endpoint.embed, f"{model} at {_host(settings)}: "
    fix = "Set KG_EMBEDDING_MODEL to a model of OPENAI_BASE_URL, or to local or static."

    async def measured() -> str:
        [vector] = await embed(["Neo4j"])
        found = f"its vectors have {len(vector)} dimensions"
        if not 0 < len(vector) <= MOST_DIMENSIONS:
            raise ReplyError(f"{found}, but Neo4j can index 1 to {MOST_DIMENSIONS}.")
        return f"{found}."

    return await _tried("Embedding", measured(), "", fix, about)


def _host(settings: Settings) -> str:
    """The host of the endpoint. Other parts of its URL may hold secrets."""
    address = (settings.openai_base_url or "OpenAI").rpartition("://")[2]
    return re.split("[/?#]", address)[0].rpartition("@")[2]

"""The connection to Neo4j: its errors are sentences; the schema is checked; the dump."""

import asyncio
import ssl
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import LiteralString

import anyio
import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

from graphrag_neo4j.cli.doctor import check_schema
from graphrag_neo4j.client.async_client import AsyncGraphRAG
from graphrag_neo4j.errors import GraphBusyError, GraphError, InputError
from graphrag_neo4j.graph import connection as connection_module
from graphrag_neo4j.graph.connection import Graph, Transaction
from graphrag_neo4j.graph.driver import connect
from graphrag_neo4j.graph.dump import dump
from graphrag_neo4j.graph.lease import hold_lease
from graphrag_neo4j.graph.schema import SCHEMA_VERSION, ensure_schema
from graphrag_neo4j.settings import Settings
from tests.support.odd_endpoint import nothing_listens
from tests.support.preset_backend import PresetBackend, documents, found, put, read
from tests.support.servers import TestServer


async def failure(uri: str, username: str = "nobody", password: str = "") -> Exception:
    with pytest.raises((GraphError, InputError)) as caught:
        async with connect(uri, username, password):
            pass
    return caught.value


async def test_a_refused_user_a_closed_port_and_what_is_no_address_are_named(
    checked_server: TestServer,
) -> None:
    error = await failure(checked_server.uri, "nobody", "not-the-password")
    assert isinstance(error, GraphError)
    assert "NEO4J_USERNAME and NEO4J_PASSWORD" in str(error)
    assert "not-the-password" not in str(error)
    with nothing_listens() as url:
        uri = url.replace("http", "bolt").removesuffix("/v1")
        error = await failure(uri)
    assert isinstance(error, GraphError)
    assert f"{uri} does not answer" in str(error)
    error = await failure("bolt://neo4j:secret-word@127.0.0.1:7687")
    assert isinstance(error, InputError)
    assert "NEO4J_PASSWORD" in str(error)
    assert "secret-word" not in str(error)


@asynccontextmanager
async def self_signed(folder: Path) -> AsyncIterator[int]:
    """The port of a server with a certificate for localhost that nobody else has signed."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "localhost")])
    now, day = datetime.now(UTC), timedelta(days=1)
    signed = (
        x509.CertificateBuilder(name, name, key.public_key(), 1, now - day, now + day)
        .add_extension(x509.SubjectAlternativeName([x509.DNSName("localhost")]), critical=False)
        .sign(key, hashes.SHA256())
    )
    plain = (Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    pem = folder / "server.pem"
    pem.write_bytes(key.private_bytes(*plain) + signed.public_bytes(Encoding.PEM))
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(pem)
    server = await asyncio.start_server(lambda _, writer: writer.close(), "127.0.0.1", ssl=context)
    async with server:
        yield server.sockets[0].getsockname()[1]


@pytest.mark.parametrize("scheme", ["neo4j", "bolt"])
async def test_a_certificate_that_is_not_trusted_is_named(scheme: str, tmp_path: Path) -> None:
    async with self_signed(tmp_path) as port:
        said = str(await failure(f"{scheme}+s://localhost:{port}"))
        accepted = f"{scheme}+ssc://localhost:{port}"
        after = str(await failure(accepted))
    assert "certificate" in said
    assert "self-signed" in said
    assert f"NEO4J_URI={accepted}" in said
    assert "start it" not in said
    assert "certificate" not in after


async def test_an_unusable_database_is_named(checked_server: TestServer) -> None:
    server = checked_server
    async with connect(server.uri, server.username, server.password, "nowhere") as graph:
        with pytest.raises(GraphError, match="no such database: set NEO4J_DATABASE"):
            await graph.read("status/counts")
    with pytest.raises(InputError, match="NEO4J_DATABASE"):
        async with connect(server.uri, server.username, server.password, "system"):
            pass


async def test_an_error_of_the_work_in_a_transaction_stays_what_it_is(graph: Graph) -> None:
    async def work(tx: Transaction) -> None:
        await tx.run("build/start", build="half", properties={})
        raise ValueError("ours")

    with pytest.raises(ValueError, match="ours"):
        await graph.transact(work)
    assert await graph.run_plain("MATCH (b:Build) RETURN b") == []


@pytest.mark.parametrize(
    ("kind", "name", "taken", "says"),
    [
        ("CONSTRAINT", "kg_claim_ref", "REQUIRE x.ref IS UNIQUE", "Claim.ref"),
        ("INDEX", "kg_stated_chunk", "ON (x.chunk)", "STATED.chunk"),
    ],
)
async def test_a_name_of_our_schema_that_is_taken_is_an_error(
    graph: Graph, kind: LiteralString, name: LiteralString, taken: LiteralString, says: str
) -> None:
    await graph.run_plain(f"DROP {kind} {name}")
    await graph.run_plain(f"CREATE {kind} {name} FOR (x:Other) {taken}")
    try:
        with pytest.raises(GraphError, match=f"No index could be made on {says}"):
            await ensure_schema(graph)
    finally:
        await graph.run_plain(f"DROP {kind} {name}")
        await ensure_schema(graph)


async def test_the_dump_holds_all_but_builds_counter_refs_and_marks(graph: Graph) -> None:
    async with hold_lease(graph, {"command": "test"}, dict):
        await put(graph, documents("Marley was dead."))
        said = {"Marley was dead.": found(("Marley", "person", "Dead."), ("Marley", "Bob", "", 1))}
        await read(graph, PresetBackend(said))
    nodes = await dump(graph)
    kinds = " ".join(sorted(key.partition(":")[0] for key in nodes))
    assert kinds == "Chunk Document Entity Entity MENTIONS MENTIONS PART_OF RELATED STATED"
    rows = await graph.run_plain("MATCH (n) RETURN labels(n)[0] AS label, keys(n) AS keys")
    hidden: dict[str, set[str]] = {row["label"]: set() for row in rows}
    for row in rows:
        hidden[row["label"]].update(row["keys"])
    for key, node in nodes.items():
        hidden.get(key.partition(":")[0], set()).difference_update(node)
    assert hidden["Entity"] == {"ref", "undescribed", "unlabelled", "unplaced"}
    assert hidden["Chunk"] == {"ref", "unembedded"}
    assert not hidden["Document"]


OTHER = SCHEMA_VERSION + 1


async def test_a_graph_of_another_schema_is_refused(graph: Graph, alone: Settings) -> None:
    await graph.run_plain(
        "CREATE (:State:KgBuild {id: 'graph', schema_version: $version}), (:Chunk:KgBuild)",
        version=OTHER,
    )
    other = f"schema version {OTHER}, .* versions up to {SCHEMA_VERSION}: install"
    async with AsyncGraphRAG(alone) as rag:
        with pytest.raises(GraphError, match=other):
            await rag.index(documents("Scrooge lived in London."))
        with pytest.raises(GraphError, match=other):
            await rag.query("Who?", method="text")
    with pytest.raises(GraphError, match=other):
        await ensure_schema(graph)
    with pytest.raises(GraphError, match=other):
        async with hold_lease(graph, {"command": "test"}, dict):
            pass
    assert await graph.run_plain("MATCH (n) WHERE NOT n:State AND NOT n:Chunk RETURN n") == []
    check = await check_schema(graph)
    assert (check.ok, "install" in check.says) == (False, True)
    await graph.run_plain("MATCH (n) DETACH DELETE n")
    assert "no graph yet" in (await check_schema(graph)).says


@pytest.mark.one_release
async def test_an_index_is_made_as_soon_as_readers_let_it_and_else_says_what_it_waits_for(
    graph: Graph, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connection_module, "LOCK_SECONDS", 0.5)
    make, drop = (
        "CREATE INDEX kg_test IF NOT EXISTS FOR (x:Chunk) ON (x.test)",
        "DROP INDEX kg_test",
    )
    with graph.lend_driver() as driver, driver.session(database=graph.database) as session:
        with session.begin_transaction() as reading:
            reading.run("MATCH (c:Chunk {id: 'any'}) RETURN c").consume()
            with anyio.fail_after(30), pytest.raises(GraphBusyError, match="holds a lock"):
                await graph.change_schema(make)
        reading = session.begin_transaction()
        reading.run("MATCH (c:Chunk {id: 'any'}) RETURN c").consume()

        async def read_on() -> None:
            await anyio.sleep(0.6)
            reading.close()

        monkeypatch.setattr(connection_module, "LOCK_SECONDS", 20)
        with anyio.fail_after(30):
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(read_on)
                await graph.change_schema(make)
    await graph.change_schema(drop)

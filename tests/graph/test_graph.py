"""The connection to Neo4j: its errors are sentences; the schema is checked; the dump."""

import ssl
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, closing, contextmanager, suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path
from socket import SHUT_RDWR, create_server
from threading import Thread

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

from graphrag_neo4j.errors import GraphError, InputError
from graphrag_neo4j.graph import Graph, Transaction, connect, dump, ensure_schema, hold_lease
from tests.support.preset_backend import PresetBackend, documents, found, put, read
from tests.support.servers import TestServer


async def failure(uri: str, username: str = "nobody", password: str = "") -> Exception:
    with pytest.raises((GraphError, InputError)) as caught:
        async with connect(uri, username, password):
            pass
    return caught.value


async def test_a_refused_user_is_told_what_to_set(checked_server: TestServer) -> None:
    error = await failure(checked_server.uri, "nobody", "not-the-password")
    assert isinstance(error, GraphError)
    assert "set NEO4J_USERNAME and NEO4J_PASSWORD" in str(error)
    assert "not-the-password" not in str(error)


async def test_a_closed_port_is_named() -> None:
    with closing(create_server(("127.0.0.1", 0))) as closed:
        uri = f"bolt://127.0.0.1:{closed.getsockname()[1]}"
    error = await failure(uri)
    assert isinstance(error, GraphError)
    assert str(error).startswith(f"Neo4j at {uri} does not answer")


@contextmanager
def self_signed(folder: Path) -> Iterator[int]:
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
    with create_server(("127.0.0.1", 0)) as listening:

        def serve() -> None:
            with suppress(OSError):  # the socket is shut down at the end
                while True:
                    connection, _ = listening.accept()
                    with connection, suppress(OSError):
                        context.wrap_socket(connection, server_side=True).close()

        serving = Thread(target=serve)
        serving.start()
        yield listening.getsockname()[1]
        listening.shutdown(SHUT_RDWR)
        serving.join()


@pytest.mark.parametrize("scheme", ["neo4j", "bolt"])
async def test_a_certificate_that_is_not_trusted_is_named(scheme: str, tmp_path: Path) -> None:
    with self_signed(tmp_path) as port:
        said = str(await failure(f"{scheme}+s://localhost:{port}"))
        accepted = f"{scheme}+ssc://localhost:{port}"
        after = str(await failure(accepted))
    assert "certificate" in said
    assert "self-signed" in said
    assert f"NEO4J_URI={accepted}" in said
    assert "start it" not in said
    assert "certificate" not in after


async def test_the_database_of_neo4j_itself_is_refused(checked_server: TestServer) -> None:
    server = checked_server
    with pytest.raises(InputError, match="NEO4J_DATABASE"):
        async with connect(server.uri, server.username, server.password, "system"):
            pass


@pytest.mark.parametrize(
    ("uri", "wrong"),
    [
        ("127.0.0.1:7687", "has no scheme: set NEO4J_URI=neo4j://127.0.0.1:7687"),
        ("ftp://127.0.0.1", "has an unknown scheme"),
        ("bolt://host:port", "has an invalid host or port"),
    ],
)
async def test_what_is_no_address_is_refused(uri: str, wrong: str) -> None:
    error = await failure(uri)
    assert isinstance(error, InputError)
    assert str(error).startswith(f"NEO4J_URI={uri} {wrong}")


async def test_a_password_inside_the_address_is_not_repeated() -> None:
    error = await failure("bolt://neo4j:secret-word@127.0.0.1:7687")
    assert isinstance(error, InputError)
    assert "NEO4J_PASSWORD" in str(error)
    assert "secret-word" not in str(error)


async def test_a_database_that_is_not_there_is_named(checked_server: TestServer) -> None:
    server = checked_server
    async with connect(server.uri, server.username, server.password, "nowhere") as graph:
        with pytest.raises(GraphError, match="no such database: set NEO4J_DATABASE"):
            await graph.read("status/counts")


async def test_a_refused_statement_is_not_blamed_on_the_address(graph: Graph) -> None:
    with pytest.raises(GraphError, match="refused a statement"):
        await graph.run_plain("RETURN 1 +")


async def test_an_error_of_the_work_in_a_transaction_stays_what_it_is(graph: Graph) -> None:
    async def work(tx: Transaction) -> None:
        await tx.run("build/start", build="half", properties={})
        raise ValueError("ours")

    with pytest.raises(ValueError, match="ours"):
        await graph.transact(work)
    assert await graph.run_plain("MATCH (b:Build) RETURN b") == []


@asynccontextmanager
async def taken(graph: Graph, *, drop: str, statement: str, after: str) -> AsyncIterator[None]:
    """A schema in which something else has one of our names."""
    await graph.run_plain(drop)
    await graph.run_plain(statement)
    yield
    await graph.run_plain(after)
    await ensure_schema(graph)


async def test_the_name_of_a_constraint_taken_by_something_else_is_an_error(graph: Graph) -> None:
    async with taken(
        graph,
        drop="DROP CONSTRAINT kg_claim_ref",
        statement="CREATE CONSTRAINT kg_claim_ref FOR (x:Other) REQUIRE x.ref IS UNIQUE",
        after="DROP CONSTRAINT kg_claim_ref",
    ):
        with pytest.raises(GraphError, match=r"No index could be made on Claim\(ref\)"):
            await ensure_schema(graph)


async def test_the_name_of_an_index_taken_by_something_else_is_an_error(graph: Graph) -> None:
    async with taken(
        graph,
        drop="DROP INDEX kg_stated_chunk",
        statement="CREATE INDEX kg_stated_chunk FOR (x:Other) ON (x.chunk)",
        after="DROP INDEX kg_stated_chunk",
    ):
        with pytest.raises(GraphError, match=r"No index could be made on STATED\(chunk\)"):
            await ensure_schema(graph)


async def test_an_index_in_the_place_of_a_constraint_is_an_error(graph: Graph) -> None:
    async with taken(
        graph,
        drop="DROP CONSTRAINT kg_claim_ref",
        statement="CREATE INDEX own FOR (x:Claim) ON (x.ref)",
        after="DROP INDEX own",
    ):
        with pytest.raises(GraphError, match="already exists an index"):
            await ensure_schema(graph)


async def test_the_schema_can_be_made_again(graph: Graph) -> None:
    before = await graph.run_plain("SHOW INDEXES YIELD name RETURN collect(name) AS names")
    await ensure_schema(graph)
    assert await graph.run_plain("SHOW INDEXES YIELD name RETURN collect(name) AS names") == before


async def test_the_dump_holds_all_but_builds_counter_refs_and_marks(graph: Graph) -> None:
    async with hold_lease(graph, {"command": "test"}, dict):
        await put(graph, documents("Marley was dead."))
        said = {"Marley was dead.": found(("Marley", "person", "Dead."), ("Marley", "Bob", "", 1))}
        await read(graph, PresetBackend(said))
    nodes = await dump(graph)
    kinds = " ".join(sorted(key.partition(":")[0] for key in nodes))
    assert kinds == "Chunk Document Entity Entity MENTIONS MENTIONS PART_OF RELATED STATED"
    rows = await graph.run_plain("MATCH (n) RETURN labels(n)[0] AS label, keys(n) AS keys")
    kept = {label: set(n) for key, n in nodes.items() if (label := key.partition(":")[0])}
    hidden = {row["label"]: set(row["keys"]) - kept.get(row["label"], set()) for row in rows}
    assert hidden["Entity"] == {"ref", "undescribed"}
    assert hidden["Chunk"] == {"ref", "unembedded"}
    assert not hidden["Document"]

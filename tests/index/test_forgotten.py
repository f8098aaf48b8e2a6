"""What is left of a deleted document is found, and what other documents say is not left over."""

import json
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from graphrag_neo4j import AsyncGraphRAG, ForgottenCheck, GraphRAG
from graphrag_neo4j.embedded import home_of
from graphrag_neo4j.errors import InputError
from graphrag_neo4j.graph.connection import Graph
from graphrag_neo4j.index.forgotten import files_beside
from graphrag_neo4j.index.uploads import Uploads
from graphrag_neo4j.settings import Settings, load_settings
from tests.conftest import Make, Run
from tests.support.paths import ROOT

pytestmark = pytest.mark.one_release

SHARED = "The counting house of Ebenezer Scrooge stood in a cold court of London that year."
SECRET = "Ebenezer Scrooge paid Zebulon Quigley forty pounds for the silence of his housekeeper."
OTHERS = f"{SHARED} Bob Cratchit copied letters for Ebenezer Scrooge in a dismal little cell."
QUOTE = "zebulon quigley forty pounds for the silence"


@pytest.fixture
def docs(tmp_path: Path) -> Path:
    folder = tmp_path / "docs"
    folder.mkdir()
    (folder / "secret.txt").write_text(f"{SHARED} {SECRET}")
    (folder / "other.txt").write_text(OTHERS)
    return folder


def places(check: ForgottenCheck) -> set[str]:
    return {one.place for one in check.left}


async def test_nothing_is_left_after_a_deletion_and_the_next_index(
    graph: Graph, alone: Settings, docs: Path
) -> None:
    secret, copied = docs / "secret.txt", docs.with_name("copied.txt")
    async with AsyncGraphRAG(alone) as rag:
        await rag.index(docs)
        there = await rag.check_forgotten(secret)
        assert {"Document", "Chunk", "Entity", "MENTIONS", "RELATED"} <= places(there)
        assert there.read == [secret.as_uri()]
        assert there.looked_at["Document"] == 2
        await rag.delete(secret)
        secret.rename(copied)
        deleted = await rag.check_forgotten(copied, secret)
        assert {"Entity", "Community"} <= places(deleted)
        assert all(one.pending for one in deleted.left)
        assert any("descriptions to renew" in one.name for one in deleted.left)
        assert await graph.run_plain("MATCH (d:Document {name: 'other.txt'}) RETURN 1")
        assert (await rag.index(docs)).complete
        forgotten = await rag.check_forgotten(copied, secret)
        assert forgotten.left == []
        assert forgotten.unread == {str(secret): "there is no such file"}
        [(other, (n, quote))] = forgotten.elsewhere.items()
        assert other == (docs / "other.txt").as_uri()
        assert (n, quote) == (9, "the counting house of ebenezer scrooge stood")


async def test_with_a_model_nothing_is_left_either(
    graph: Graph, settings: Make, docs: Path
) -> None:
    secret = docs / "secret.txt"
    with GraphRAG(settings()) as rag:
        rag.index(docs)
        rag.delete(secret)
        assert rag.check_forgotten(secret).left
        secret.rename(docs.with_name("secret.txt"))
        rag.index(docs)
        assert rag.check_forgotten(docs.with_name("secret.txt")).left == []
    assert await graph.run_plain("MATCH (c:Community) RETURN c")


@pytest.mark.parametrize(
    ("put", "place"),
    [
        ("MATCH (e:Entity {name: 'London'}) SET e.description = $text", "Entity"),
        ("MATCH (e:Entity {name: 'London'}) SET e.group_texts = ['x', $text]", "Entity"),
        ("MATCH (e:Entity {name: 'London'}) SET e.aliases = ['Zebulon  QUIGLEY']", "Entity"),
        ("MATCH ()-[r:RELATED]->() WITH r LIMIT 1 SET r.description = $text", "RELATED"),
        ("MATCH ()-[r:MENTIONS]->() WITH r LIMIT 1 SET r.descriptions = [$text]", "MENTIONS"),
        ("MATCH (c:Community) WITH c LIMIT 1 SET c.summary = $text", "Community"),
        ("CREATE (:Finding:KgBuild {id: 'f', explanation: $text})", "Finding"),
        ("CREATE (:Chunk:KgBuild {id: 'c', text: $text})", "Chunk"),
        ("CREATE (:Claim:KgBuild {id: 'c', source_text: $text})", "Claim"),
        ("CREATE (:Spelling:KgBuild {id: 's', name: 'Zebulon Quigley'})", "Spelling"),
        ("CREATE (:BatchRequest:KgBuild {id: 'b', text: $text})", "BatchRequest"),
        ("MATCH (e:Entity) WITH e LIMIT 1 SET e.unembedded = true", "Entity"),
    ],
)
async def test_what_stayed_behind_is_found_wherever_it_is(
    graph: Graph, alone: Settings, docs: Path, put: str, place: str
) -> None:
    (docs.with_name("copied.txt")).write_text(f"{SHARED} {SECRET}")
    (docs / "secret.txt").unlink()
    text = f"He was there.\n{SECRET.upper().replace(' ', '  ')}"
    async with AsyncGraphRAG(alone) as rag:
        await rag.index(docs)
        assert (await rag.check_forgotten(docs.with_name("copied.txt"))).left == []
        await graph.run_plain(put, text=text)
        check = await rag.check_forgotten(docs.with_name("copied.txt"))
    assert places(check) == {place}
    if "$text" in put:
        assert "zebulon quigley paid" in check.left[0].quote or QUOTE[:15] in check.left[0].quote


async def test_files_beside_the_graph_are_looked_at(
    graph: Graph, alone: Settings, tmp_path: Path
) -> None:
    apart = alone.model_copy(update={"home": tmp_path / "home"})
    uploads = Uploads(apart)
    uploads.folder.mkdir()
    upload = uploads.folder / "secret.txt"
    upload.write_text(SECRET)
    async with AsyncGraphRAG(apart) as rag:
        check = await rag.check_forgotten(upload.as_uri())
        assert [one.name for one in check.left] == [str(upload)]
        assert (check.looked_at["uploaded files"], check.read) == (1, [upload.as_uri()])
        with pytest.raises(InputError, match="A source is empty"):
            await rag.check_forgotten("")
    assert await graph.run_plain("MATCH (n) WHERE n:Chunk RETURN n") == []
    assert home_of(apart).path == tmp_path / "home"


def test_dumps_and_logs_in_the_home_are_looked_at(tmp_path: Path) -> None:
    own = load_settings(home=tmp_path / "home", neo4j_uri=None)
    logs = tmp_path / "home" / "logs"
    logs.mkdir(parents=True)
    (logs / "neo4j.log").write_text(f"Started.\nIt said: {SECRET}\n")
    (logs / "debug.log").write_text("Started.\n")
    dump = logs.with_name("before-upgrade.dump")
    dump.write_bytes(b"DZV1")
    passages: set[tuple[str, ...]] = {("paid", "zebulon", "quigley")}
    looked_at, left = files_beside(own, ["note:1"], passages)
    assert looked_at == {"uploaded files": 0, "dumps in the home": 1, "logs of Neo4j": 2}
    assert left[0].name.startswith(f"{dump} of 20")
    assert (left[1].name, left[1].quote) == (str(logs / "neo4j.log"), "paid zebulon quigley")
    elsewhere = load_settings(home=own.home, neo4j_uri="bolt://localhost:7687")
    assert files_beside(elsewhere, [], passages)[1] == []


@pytest.mark.usefixtures("environment", "graph")
def test_the_command_prints_place_by_place_and_ends_with_1_if_something_is_left(
    kg: Run, docs: Path
) -> None:
    secret = docs / "secret.txt"
    index = ("index", docs, "--model", "extractive", "--quiet")
    assert kg(*index).code == 0
    assert kg("delete", secret).code == 0
    ran = kg("delete", "--check", secret)
    assert ran.code == 1
    assert "(the next `kg-build index` renews it)" in ran.out
    secret.rename(docs.with_name("secret.txt"))
    assert kg(*index).code == 0
    ran = kg("delete", "--check", docs.with_name("secret.txt"), "gone.txt")
    assert (ran.code, ran.out.splitlines()[-1]) == (0, "Nothing is left.")
    assert ran.out.startswith("Only ids were looked for, not the text of gone.txt: there is no")
    assert f"{(docs / 'other.txt').as_uri()} still says 9 passages of it, such as" in ran.out
    printed = kg("delete", "--check", "--json", docs.with_name("secret.txt")).json
    schema = json.loads((ROOT / "docs" / "json" / "delete.json").read_text("utf-8"))
    Draft202012Validator(schema).validate(printed)
    assert printed["left"] == []
    only = kg("delete", "--check", "gone.txt")
    assert only.out.splitlines()[-1] == "Nothing with these ids is left."
    assert kg("delete", "--json", secret).code == 2

"""`kg-build import neo4j`: the Movies graph of another server, again and again."""

import re
from collections.abc import AsyncIterator, Mapping
from copy import deepcopy
from itertools import chain
from pathlib import Path
from typing import Any

import pytest
import yaml

from graphrag_neo4j import Answer, AsyncGraphRAG, Source
from graphrag_neo4j.errors import GraphError, InputError
from graphrag_neo4j.extras.importing.mapping import read_mapping, suggest_mapping
from graphrag_neo4j.graph.connection import Graph, PlainRow
from graphrag_neo4j.graph.driver import connect
from graphrag_neo4j.graph.dump import dump
from graphrag_neo4j.graph.schema import RESERVED
from graphrag_neo4j.model.events import Event, Notice
from graphrag_neo4j.settings import Settings
from tests.cli.test_json import held
from tests.conftest import Make, Run
from tests.support.fake_endpoint import FakeEndpoint
from tests.support.paths import DATA, ROOT
from tests.support.servers import TestServer

MOVIES = DATA / "movies.cypher"
PAGE = (ROOT / "docs" / "import.md").read_text("utf-8")
MAPPING = yaml.safe_load(PAGE.partition("```yaml\n")[2].partition("```")[0])


@pytest.fixture
async def movies(no_gds: str) -> AsyncIterator[Graph]:
    """Another Neo4j, with the Movies graph."""
    async with connect(no_gds, "neo4j", "any") as graph:
        await graph.run_plain("MATCH (n) DETACH DELETE n")
        await graph.run_plain("DROP CONSTRAINT movie_title IF EXISTS")
        for statement in MOVIES.read_text("utf-8").split(";\n"):
            if statement.strip():
                await graph.run_plain(statement)
        yield graph
        await graph.run_plain("MATCH (n) DETACH DELETE n")
        await graph.run_plain("DROP CONSTRAINT movie_title IF EXISTS")


@pytest.fixture
def mapping(tmp_path: Path) -> Path:
    return written(tmp_path / "movies.yaml", MAPPING)


def written(path: Path, content: object) -> Path:
    path.write_text(yaml.safe_dump(content, sort_keys=False), "utf-8")
    return path


async def all_of(graph: Graph) -> list[PlainRow]:
    return await graph.run_plain(
        "MATCH (n) OPTIONAL MATCH (n)-[r]->(m) "
        "RETURN labels(n), properties(n), type(r), properties(r), elementId(m) "
        "ORDER BY elementId(n), elementId(r)"
    )


async def test_a_graph_comes_is_cited_and_follows_its_source_at_the_cost_of_the_change(
    graph: Graph, alone: Settings, movies: Graph, mapping: Path
) -> None:
    before = await all_of(movies)
    heard: list[Event] = []
    async with AsyncGraphRAG(alone, heard.append) as rag:
        built = await rag.import_neo4j(mapping, movies.address)
        assert built.complete
        assert (built.ingested.added, built.status and built.status.counts["documents"]) == (15, 15)
        answer = await rag.query("Who directed Cloud Atlas?", method="local")
        assert "Lana Wachowski directed Cloud Atlas." in answer.text
        [cited] = [one for one in sources(answer) if "directed Cloud Atlas" in one.quoted]
        assert cited.document == f"{mapping.as_uri()}#Person/Lana Wachowski"
        assert cited.metadata == {"label": "Person", "born": 1965}
        filtered = await rag.query(
            "What does the composer write?", method="basic", where="released>=2012"
        )
        assert {one.title for one in sources(filtered)} == {"Cloud Atlas"}
        themes = await rag.query("What are the main themes?", method="global")
        assert "acted in" in themes.text
        hanks = await rag.entity("tom hanks")
        said = "Tom Hanks acted in Cloud Atlas (roles: Zachry, Isaac Sachs)."
        assert ["Cloud Atlas", said, "to"] in [list(one) for one in hanks.related]
        # The plot is read as any document is, and what it mentions is an entity.
        assert (await rag.entity("Sonmi")).name == "Sonmi"

        first = await dump(graph)
        again = await rag.import_neo4j(mapping, movies.address)
        assert (again.ingested.unchanged, again.ingested.chunks, again.dropped) == (15, 0, [])
        assert await dump(graph) == first
        assert await all_of(movies) == before

        await movies.run_plain(
            "MATCH (:Person {name: 'Tom Hanks'})-[r:ACTED_IN]->(:Movie {title: 'Cloud Atlas'}) "
            "SET r.roles = ['Zachry']"
        )
        await movies.run_plain("MATCH (m:Movie {title: 'The Matrix Reloaded'}) DETACH DELETE m")
        changed = await rag.import_neo4j(mapping, movies.address)
        assert changed.ingested.changed == 4  # Hanks, and three who lost a relationship
        assert changed.dropped == [f"{mapping.as_uri()}#Movie/The Matrix Reloaded"]
        with pytest.raises(InputError, match="The Matrix Reloaded"):
            await rag.entity("The Matrix Reloaded")

        deleted = await rag.delete(mapping)
        assert len(deleted[str(mapping)]) == 14
        assert not any(key.startswith(("Entity", "Chunk", "Document")) for key in await dump(graph))
    assert not any(isinstance(event, Notice) and "Error" in event.text for event in heard)


def sources(answer: Answer) -> list[Source]:
    return [source for citation in answer.citations for source in citation.sources]


async def test_what_a_backend_has_read_of_a_record_gives_way_to_the_record(
    graph: Graph, alone: Settings, movies: Graph, mapping: Path
) -> None:
    """As after a kill between its chunk and its evidence, if another command ran before."""
    async with AsyncGraphRAG(alone) as rag:
        await rag.import_neo4j(mapping, movies.address)
        first = await dump(graph)
        await graph.run_plain(
            "MATCH (c:Chunk) WHERE c.text STARTS WITH 'Keanu' SET c.extraction = 'pending'"
        )
        await rag.index([])
        rows = await graph.run_plain(
            "MATCH (c:Chunk) WHERE c.extraction_with IS NOT NULL "
            "RETURN c.text AS text ORDER BY text"
        )
        assert [row["text"][:5] for row in rows] == ["Keanu", "Six s"]
        await rag.import_neo4j(mapping, movies.address)
        await rag.index([], fresh=True)
        assert entities(await dump(graph)) == entities(first)


def entities(nodes: Mapping[str, object]) -> dict[str, object]:
    return {k: v for k, v in nodes.items() if k.startswith(("Entity", "MENTIONS", "STATED"))}


async def test_a_model_reads_the_texts_and_no_record(
    graph: Graph, settings: Make, endpoint: FakeEndpoint, movies: Graph, mapping: Path
) -> None:
    async with AsyncGraphRAG(settings()) as rag:
        built = await rag.import_neo4j(mapping, movies.address)
        assert built.complete
        assert len({call.text for call in endpoint.log if call.kind == "extraction"}) == 1
        headers = await graph.run_plain("MATCH (c:Chunk) RETURN DISTINCT c.header AS header")
        assert "Cloud Atlas" in [row["header"] for row in headers]
    async with AsyncGraphRAG(settings(gleanings=2)) as rag:  # other settings: read again
        await rag.index([], again="extraction")
        rows = await graph.run_plain(
            "MATCH (c:Chunk) WHERE c.extraction_with IS NOT NULL RETURN c.text AS text"
        )
        assert [row["text"][:11] for row in rows] == ["Six stories"]
        assert len({call.text for call in endpoint.log if call.kind == "extraction"}) == 1


async def test_a_node_whose_key_is_too_long_for_an_index_is_left_out_and_counted(
    graph: Graph, alone: Settings, movies: Graph, tmp_path: Path
) -> None:
    await movies.run_plain("MATCH (n) DETACH DELETE n")
    await movies.run_plain(
        "CREATE (:Movie {id: 1, name: 'Alien'})-[:FOLLOWS]->(:Movie {id: $long, name: 'Aliens'}), "
        "(:Movie {id: 2, name: $long})",
        long="o" * 9000,
    )
    nodes = {"Movie": {"name": "name", "key": "id"}}
    path = written(tmp_path / "m.yaml", {"nodes": nodes, "relationships": {"FOLLOWS": None}})
    heard: list[Event] = []
    async with AsyncGraphRAG(alone, heard.append) as rag:
        assert (await rag.import_neo4j(path, movies.address)).complete
    said = [event.text for event in heard if isinstance(event, Notice)]
    assert "Nodes with the label Movie that are left out, without a key or a name: 1." in said
    rows = await graph.run_plain("MATCH (e:Entity) RETURN e.name AS name ORDER BY name")
    assert [row["name"] for row in rows] == ["Alien", "o" * 9000]


async def test_names_that_several_nodes_share_are_told_apart_and_nameless_ones_are_counted(
    graph: Graph, alone: Settings, movies: Graph, tmp_path: Path
) -> None:
    await movies.run_plain("MATCH (n) DETACH DELETE n")
    await movies.run_plain(
        "CREATE (a:Person:Star {id: 1, name: 'Alien'}), (:Person {id: 2, name: 'Ada Smith'}), "
        "(:Person {id: 3, name: 'ada smith'}), (m:Movie {id: 4, name: 'Alien'}), (:Movie {id: 5}), "
        "(:Movie {id: 4, name: 'Twice'}), (a)-[:ACTED_IN]->(m)"
    )
    suggested = yaml.safe_load(await suggest_mapping(movies))["nodes"]
    assert "key" not in suggested["Person"]
    await movies.run_plain("CREATE (:Person {id: 6, name: 'Ada Smith'})-[:IS]->(:Role {name: 'x'})")
    suggested = yaml.safe_load(await suggest_mapping(movies))["nodes"]
    assert suggested["Person"] == {"name": "name", "key": "id"}
    await movies.run_plain("MATCH (p:Person {id: 6}), (r:Role) DETACH DELETE p, r")
    nodes = {label: {"name": "name", "key": "id"} for label in ("Star", "Person", "Movie")}
    path = written(tmp_path / "m.yaml", {"nodes": nodes, "relationships": {"ACTED_IN": None}})
    heard: list[Event] = []
    async with AsyncGraphRAG(alone, heard.append) as rag:
        built = await rag.import_neo4j(path, movies.address)
        assert built.ingested.repeated == [f"{path.as_uri()}#Movie/4"]
        acted = await rag.query("Who acted in Alien?")
    assert acted.text.startswith("- Alien (star) acted in Alien (movie). [Data: Relationships (")
    rows = await graph.run_plain("MATCH (e:Entity) RETURN e.name AS name, e.type AS type")
    assert {(row["name"], row["type"]) for row in rows} == {
        ("Alien (star)", "star"),
        ("Alien (movie)", "movie"),
        ("Ada Smith (2)", "person"),
        ("ada smith (3)", "person"),
    }
    said = [event.text for event in heard if isinstance(event, Notice)]
    assert "Nodes with the label Movie that are left out, without a key or a name: 1." in said
    assert "Nodes with the label Movie with the key of another" in "".join(said)
    [record] = await graph.run_plain("MATCH (c:Chunk) WHERE c.text CONTAINS 'acted' RETURN c.text")
    assert record["c.text"] == "Alien (star) (star)\nAlien (star) acted in Alien (movie)."


async def test_a_hub_has_several_chunks_each_with_its_relationships(
    graph: Graph, alone: Settings, movies: Graph, mapping: Path
) -> None:
    await movies.run_plain(
        "MATCH (p:Person {name: 'Tom Hanks'}) UNWIND range(1, 60) AS n "
        "CREATE (p)-[:ACTED_IN {roles: ['A man with a number']}]->(:Movie {title: 'Film No. ' + n})"
    )
    async with AsyncGraphRAG(alone.changed(chunk_tokens=200)) as rag:
        assert (await rag.import_neo4j(mapping, movies.address)).complete
    rows = await graph.run_plain(
        "MATCH (d:Document {title: 'Tom Hanks'})<-[:PART_OF]-(c:Chunk) "
        "RETURN c.text AS text, c.n_tokens AS tokens, c.index AS index, "
        "COUNT { ()-[s:STATED WHERE s.chunk = c.id]->() } AS stated ORDER BY index"
    )
    assert len(rows) > 3
    assert all(row["tokens"] <= 200 for row in rows)
    lines = [row["text"].count("acted in") for row in rows]
    assert [row["stated"] for row in rows] == lines
    assert sum(lines) == 62


HELD = "MATCH (e:Entity) WHERE e.name IN $names RETURN e.name AS name, e {.*} AS e ORDER BY name"


async def held_by(graph: Graph, *names: str) -> list[dict[str, Any]]:
    """The properties that their evidence gave to these entities, in the order of the names."""
    rows = await graph.run_plain(HELD, names=names)
    return [{name: row["e"][name] for name in row["e"].get("properties") or ()} for row in rows]


async def test_properties_are_those_of_entities_and_pairs_in_their_kinds_and_follow_their_source(
    graph: Graph, alone: Settings, movies: Graph, tmp_path: Path
) -> None:
    await movies.run_plain(
        "MATCH (m:Movie {title: 'The Matrix'}) SET m.premiere = date('1999-03-31'), m.type = 35, "
        "m.place = point({latitude: 34.1, longitude: -118.3}), m.genres = ['cyberpunk', 'action'] "
        "WITH m MATCH (p:Person {name: 'Jessica Thompson'}) "
        "CREATE (p)-[:REVIEWED {rating: 80, weight: 2}]->(m), (p)-[:REVIEWED {rating: 90}]->(m)"
    )
    content = deepcopy(MAPPING)
    content["nodes"]["Movie"]["properties"] += ["premiere", "type", "place", "genres"]
    content["relationships"]["REVIEWED"]["properties"] += ["weight"]
    path = written(tmp_path / "m.yaml", content)
    async with AsyncGraphRAG(alone) as rag:
        await rag.import_neo4j(path, movies.address)
        [matrix] = await graph.run_plain(
            "MATCH (m:Movie) WHERE m.released < 2000 AND m.premiere.month = 3 "
            "RETURN m.name AS name, m.type AS type, m.own_type AS own, m.genres AS genres, "
            "m.place.latitude AS latitude, m.properties AS properties"
        )
        assert matrix == {
            "name": "The Matrix",
            "type": "movie",
            "own": 35,
            "genres": ["cyberpunk", "action"],
            "latitude": 34.1,
            "properties": ["genres", "own_type", "place", "premiere", "released"],
        }
        [ours] = await graph.run_plain(
            "MATCH (e:Entity)-[r:STATED|RELATED]->() WITH collect(e) AS es, collect(r) AS rs "
            "RETURN [e IN es | [k IN keys(e) WHERE NOT k IN coalesce(e.properties, [])]] AS nodes, "
            "[r IN rs | [k IN keys(r) WHERE NOT k IN coalesce(r.properties, [])]] AS pairs"
        )
        assert {*chain(*ours["nodes"])} <= RESERVED["Entity"]
        assert {*chain(*ours["pairs"])} <= RESERVED["RELATED"]
        ratings = await graph.run_plain(
            "MATCH (:Person)-[r:RELATED]-(m:Movie) UNWIND r.rating AS rating "
            "RETURN m.name AS name, avg(rating) AS mean, r.own_weight AS weight ORDER BY name"
        )
        assert [[*row.values()] for row in ratings] == [
            ["Cloud Atlas", 95.0, None],
            ["The Da Vinci Code", 68.0, None],
            ["The Matrix", 85.0, 2],
        ]
        await movies.run_plain(
            "MATCH (m:Movie {title: 'The Matrix'}) SET m.released = 1998.5, m.genres = null "
            "WITH m MATCH (m)<-[r:REVIEWED {rating: 80}]-(p) DELETE r"
        )
        # The text of the record stays the same: "type: 35".
        await movies.run_plain("MATCH (m:Movie {title: 'The Matrix'}) SET m.type = '35'")
        changed = await rag.import_neo4j(path, movies.address)
        assert changed.ingested.changed == 2
        rows = await graph.run_plain(
            "MATCH (m:Movie {name: 'The Matrix'})-[r:RELATED]-(:Person {name: 'Jessica Thompson'}) "
            "RETURN m.released AS released, m.genres AS genres, m.own_type AS own, "
            "r.rating AS rating, r.own_weight AS weight, r.properties AS properties"
        )
        assert [[*row.values()] for row in rows] == [[1998.5, None, "35", 90, None, ["rating"]]]
        now = await dump(graph)
        # As if an earlier release had made the import.
        await graph.run_plain(
            "MATCH (c:Chunk) WHERE c.evidence_hash IS NOT NULL REMOVE c.evidence_hash "
            "WITH c MATCH (c)-[m:MENTIONS]->() REMOVE m.properties, m.own_type, m.released"
        )
        await rag.import_neo4j(path, movies.address)
        assert await dump(graph) == now


async def test_what_nodes_of_one_entity_hold_is_joined_and_parted_with_their_names(
    graph: Graph, alone: Settings, movies: Graph, mapping: Path
) -> None:
    await movies.run_plain(
        "MATCH (p:Person {name: 'Tom Hanks'}) SET p.tags = ['writer', 'actor'] "
        "CREATE (:Person {name: 'Thomas J. Hanks', born: 1957, tags: ['actor']})"
        "-[:ACTED_IN {roles: ['Ray']}]->(:Movie {title: 'Cloud Atlas II'})"
    )
    content = deepcopy(MAPPING)
    content["nodes"]["Person"]["properties"] += ["tags"]
    path = written(mapping, content)
    names = ("Thomas J. Hanks", "Tom Hanks")
    apart = [
        {"born": 1957, "tags": ["actor"]},
        {"born": 1956, "tags": ["writer", "actor"]},
    ]
    async with AsyncGraphRAG(alone) as rag:
        await rag.import_neo4j(path, movies.address)
        assert await held_by(graph, *names) == apart
        first = evidence(await dump(graph))
        await rag.resolve(same=names)
        [joined] = await held_by(graph, *names)
        assert joined == {"born": [1956, 1957], "tags": ["actor", "writer"]}
        roles = await graph.run_plain(
            "MATCH (:Movie {name: 'Cloud Atlas II'})-[r:RELATED]-(e) RETURN r.roles AS roles"
        )
        assert roles == [{"roles": ["Ray"]}]
        [decision] = [one for one in await rag.name_decisions() if one.origin == "person"]
        await rag.resolve(undo=decision.ref)
        assert await held_by(graph, *names) == apart
        assert evidence(await dump(graph)) == first
        await movies.run_plain("MATCH (p:Person {name: 'Thomas J. Hanks'}) DETACH DELETE p")
        await rag.resolve(same=names)
        await rag.import_neo4j(path, movies.address)
        assert await held_by(graph, *names) == apart[1:]


async def test_an_alias_is_a_further_name_and_is_suggested_as_one(
    graph: Graph, alone: Settings, movies: Graph, tmp_path: Path
) -> None:
    await movies.run_plain(
        "MATCH (p:Person {name: 'Lana Wachowski'}) SET p.also_known_as = ['Larry of Chicago', ''] "
        "WITH p MATCH (q:Person {name: 'Tom Hanks'}) SET q.also_known_as = 'Thomas Jeffrey Hanks'"
    )
    content = yaml.safe_load(await suggest_mapping(movies))
    assert content["nodes"]["Person"]["aliases"] == "also_known_as"
    assert content["nodes"]["Person"]["properties"] == ["born"]
    path = written(tmp_path / "m.yaml", content)
    async with AsyncGraphRAG(alone) as rag:
        await rag.import_neo4j(path, movies.address)
        assert (await rag.entity("larry of chicago")).name == "Lana Wachowski"
        assert (await rag.entity("Thomas Jeffrey Hanks")).name == "Tom Hanks"
        answer = await rag.query("What did Larry of Chicago direct?", method="local")
        assert "Lana Wachowski directed" in answer.text
        await rag.resolve(same=("Lana Wachowski", "Tom Hanks"))
        rows = await graph.run_plain(
            "MATCH (e:Entity) WHERE 'Tom Hanks' IN e.aliases OR e.name = 'Tom Hanks' "
            "RETURN e.aliases AS aliases"
        )
        assert {"Larry of Chicago", "Thomas Jeffrey Hanks"} < {*rows[0]["aliases"]}


def evidence(nodes: Mapping[str, object]) -> dict[str, object]:
    return {k: v for k, v in nodes.items() if k.startswith(("MENTIONS", "STATED"))}


@pytest.mark.usefixtures("environment")
def test_the_command_imports_and_suggests_a_mapping(kg: Run, movies: Graph, tmp_path: Path) -> None:
    given = ("import", "neo4j", "--from", movies.address)
    path = tmp_path / "suggested.yaml"
    done = kg(*given, "--suggest-mapping", path)
    assert done.code == 0
    assert yaml.safe_load(path.read_text("utf-8")) == MAPPING
    assert "exists: name a new file" in kg(*given, "--suggest-mapping", path).err
    imported = kg(*given, "--mapping", path, "--json")
    assert held("index", imported)["ingested"]["added"] == 15
    assert "Give either --mapping" in kg(*given).err
    nowhere = kg("import", "neo4j", "--from", "no-home", "--mapping", path)
    assert "no-home is neither an address" in nowhere.err
    refused = kg("import", "neo4j", "--from", "bolt://127.0.0.1:1", "--mapping", path)
    assert "set --from to one that runs" in refused.err


async def test_a_database_without_such_nodes_and_the_own_one_are_refused(
    graph: Graph, alone: Settings, server: TestServer, movies: Graph, mapping: Path
) -> None:
    async with AsyncGraphRAG(alone) as rag:
        await rag.import_neo4j(mapping, movies.address)
        before = await dump(graph)
        await movies.run_plain("MATCH (n) DETACH DELETE n")
        with pytest.raises(InputError, match="no node with a label"):
            await rag.import_neo4j(mapping, movies.address)
        with pytest.raises(InputError, match="that of the graph itself"):
            await rag.import_neo4j(
                mapping, server.uri, username=server.username, password=server.password
            )
        with pytest.raises(GraphError, match="set --username and NEO4J_SOURCE_PASSWORD"):
            await rag.import_neo4j(mapping, server.uri, password="wrong")
        assert await dump(graph) == before


@pytest.mark.parametrize(
    ("content", "says"),
    [
        ("nodes: {Movie: {nme: title}}", r"m.yaml: nodes.Movie.name must be given"),
        ("nodes: {Movie: {name: t, keys: id}}", r"nodes.Movie can't hold keys. Did you mean key\?"),
        ("node: {}", r"can't hold node. Did you mean nodes\?|nodes must be given"),
        ("nodes: {}", r"nodes .*at least 1"),
        ("nodes: {Movie: {name: t, text: plot}}", r"nodes.Movie.text .*"),
        ("[", "is not YAML"),
        ("", "m.yaml: the file"),
    ],
)
def test_a_wrong_mapping_is_told_in_a_sentence(content: str, says: str, tmp_path: Path) -> None:
    path = tmp_path / "m.yaml"
    path.write_text(content, "utf-8")
    with pytest.raises(InputError, match=says):
        read_mapping(path)


@pytest.mark.usefixtures("graph")
async def test_a_question_with_a_predicate_gets_what_is_stated_and_nothing_else(
    alone: Settings, movies: Graph, mapping: Path
) -> None:
    async with AsyncGraphRAG(alone) as rag:
        await rag.import_neo4j(mapping, movies.address)
        directed = await rag.query("Who directed Cloud Atlas?")
        actors = await rag.query("Which actors are in Cloud Atlas?")
        acted = await rag.query("In which movies did Tom Hanks act?")
        films = await rag.query("Which movies did Tom Hanks act in?")
        many = await rag.query("How many films did Tom Hanks act in?")
        both = await rag.query("Did Lana Wachowski direct Cloud Atlas?")
        said = await rag.query("What did Tom Hanks say about films in 1999?")
        assert ["released", 2012] in [
            [*one] for one in (await rag.entity("Cloud Atlas")).properties
        ]
    rows = await movies.run_plain(
        "MATCH (p:Person)-[r:DIRECTED|ACTED_IN]->(m:Movie {title: 'Cloud Atlas'}) "
        "RETURN type(r) AS type, p.name AS name ORDER BY name"
    )
    names = {
        kind: [row["name"] for row in rows if row["type"] == kind]
        for kind in ("DIRECTED", "ACTED_IN")
    }
    for answer, kind, verb in (
        (directed, "DIRECTED", "directed"),
        (actors, "ACTED_IN", "acted in"),
    ):
        lines = sorted(line for line in answer.text.splitlines() if line.startswith("- "))
        assert [line.partition(f" {verb} Cloud Atlas")[0] for line in lines] == [
            f"- {n}" for n in names[kind]
        ]
        assert all(one.supported for one in answer.citations)
    assert "\n  movies.yaml#Person/Lana Wachowski, line 2" in directed.text
    assert acted.text
    assert "acted in" in films.text
    assert "directed" not in films.text
    assert many.text.startswith("The documents state ")
    assert not many.notices
    assert both.text.splitlines()[0].startswith("- Lana Wachowski directed Cloud Atlas. [Data: ")
    assert not said.text.startswith("- Tom Hanks acted in")


COMPUTED = {
    "How many films after 1999?": "MATCH (m:Movie) WHERE m.released > 1999 RETURN count(*) AS x",
    "Which movies were released between 1997 and 2003?": (
        "MATCH (m:Movie) WHERE 1997 <= m.released <= 2003 RETURN count(*) AS x"
    ),
    "How many people were born before 1960?": (
        "MATCH (p:Person) WHERE p.born < 1960 RETURN count(*) AS x"
    ),
    "How many movies did Tom Hanks act in after 2010?": (
        "MATCH (:Person {name: 'Tom Hanks'})-[:ACTED_IN]->(m:Movie) WHERE m.released > 2010 "
        "RETURN count(*) AS x"
    ),
    "What is the average rating?": "MATCH ()-[r:REVIEWED]->() RETURN avg(r.rating) AS x",
    "What is the highest rating of The Da Vinci Code?": (
        "MATCH ()-[r:REVIEWED]->(:Movie {title: 'The Da Vinci Code'}) RETURN max(r.rating) AS x"
    ),
    "Which person was born earliest?": "MATCH (p:Person) RETURN min(p.born) AS x",
}


@pytest.mark.usefixtures("graph")
async def test_what_is_computed_is_what_the_source_holds_and_the_shown_statement_gives(
    alone: Settings, settings: Make, movies: Graph, mapping: Path
) -> None:
    async with AsyncGraphRAG(alone) as rag:
        await rag.import_neo4j(mapping, movies.address)
        for question, statement in COMPUTED.items():
            [right] = await movies.run_plain(statement)
            answer = await rag.query(question)
            told = re.findall(r"-?\d+(?:\.\d+)?", answer.text.partition("[Data")[0])
            assert f"{right['x']:g}" in told, (question, answer.text)
            assert not answer.notices
            assert answer.citations
            assert all(one.supported for one in answer.citations)
            shown = answer.text.partition("```cypher\n")[2].removesuffix("\n```")
            [first, *_] = await rag.graph.run_plain(shown)
            assert right["x"] in first.values(), question
        beyond = await rag.query("What is the average age of people?")
        where = await rag.query("How many films after 1999?", where="released>2000")
    assert beyond.notices[0].startswith("This is beyond what the graph computes")
    assert "movie (released)" in beyond.notices[0]
    assert "cypher" not in where.text
    async with AsyncGraphRAG(settings(embedding_model="static")) as rag:
        by_model = await rag.query("How many films after 1999?", method="local")
    assert by_model.text.startswith(
        "The graph has 3 entities of the type movie with released > 1999"
    )
    assert not by_model.usage

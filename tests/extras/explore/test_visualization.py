"""The queries, guide and map that a graph is looked at with, on a real graph of a book."""

import base64
import http.client
import io
import json
import re
import zipfile
import zlib
from collections.abc import AsyncIterator, Mapping
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from neo4j import READ_ACCESS, Result
from neo4j import Query as Statement

from graphrag_neo4j import InputError
from graphrag_neo4j.extras.explore import example_values, guide, saved, sections, served
from graphrag_neo4j.extras.explore.export import ColumnRow
from graphrag_neo4j.extras.explore.guide import NAMES, TITLE, Query, literal
from graphrag_neo4j.files import data, read_statement
from graphrag_neo4j.graph.connection import Graph
from graphrag_neo4j.graph.schema import TYPES, UNIQUE_NODES
from graphrag_neo4j.index.entities.label import label_of
from graphrag_neo4j.index.status import CountsRow
from graphrag_neo4j.settings import Settings
from graphrag_neo4j.web.map import Map, read_map
from graphrag_neo4j.web.page import TextPool
from tests.support.carol import BOOK, indexed_carol
from tests.support.paths import ROOT
from tests.support.servers import TestServer

STYLE = data("browser/style.grass").read_text("utf-8")
NONE = {"community": None, "other": None, "entity": None}
EVIL = "</pre></script><img src=x onerror=alert(1)>"


@pytest.fixture(scope="module")
async def book(checked_server: TestServer) -> AsyncIterator[Graph]:
    """The graph of the first pages of A Christmas Carol."""
    async with indexed_carol(checked_server, characters=60_000) as indexed:
        yield indexed.graph


def queries(values: dict[str, int | str | None]) -> dict[str, Query]:
    return {query.name: query for section in sections(values) for query in section.queries}


def given_by(name: str, book: Graph, values: Mapping[str, object]) -> list[dict[str, Any]]:
    """The rows that a query of the guide gives with its parameters, and only reads."""
    with book.lend_driver() as driver, driver.session(default_access_mode=READ_ACCESS) as session:
        statement = Statement(read_statement(f"browse/{name}"))
        return session.run(statement, dict(values)).data()


# Queries


@pytest.mark.parametrize("name", NAMES)
async def test_each_query_runs_as_it_stands_in_the_guide(book: Graph, name: str) -> None:
    query = queries(dict(await example_values(book)))[name]
    with book.lend_driver() as driver:
        drawn = driver.execute_query(query.text, result_transformer_=Result.graph)
        records, told, _ = driver.execute_query(query.text)
    assert not [one for one in told.gql_status_objects if one.gql_status.startswith("01N5")]
    assert bool(given_by(name, book, await example_values(book))) == (name != "waiting")
    if query.about.startswith("Draws"):
        assert 0 < len(drawn.nodes) <= 300
        assert name == "tree" or drawn.relationships
    else:
        assert not drawn.nodes
        assert bool(records) == (name != "waiting")


@pytest.mark.parametrize("text", ["it's", 'a "b"', "back\\slash", "\\u0041", "a\nb", "$entity", ""])
async def test_a_name_stands_in_a_query_as_it_is(book: Graph, text: str) -> None:
    with book.lend_driver() as driver:
        records, _, _ = driver.execute_query(f"RETURN {literal(text)} AS text")
    assert records[0]["text"] == text


# Guide, style, saved Cypher


def test_the_guide_has_all_queries_and_no_html_but_its_own() -> None:
    found = sections({**NONE, "entity": EVIL})
    page = guide(found, f"tales\udcff {EVIL}")
    page.encode()
    assert page.count(f"<title>{TITLE}: tales\ufffd &lt;/pre&gt;") == 2
    assert page.count('class="pre-scrollable') == len(NAMES)
    assert page.count("<slide") == len(found)
    assert "<img" not in page
    assert "<script" not in page


def test_the_style_names_each_label_and_type_of_the_graph() -> None:
    selectors = set(re.findall(r"(?:node|relationship)\.(\w+)", STYLE))
    nodes = {"Document", "Chunk", "Entity", "Claim", "Community", "Finding", "Build", "Counter"}
    nodes |= {"State", *map(label_of, Settings().entity_types)}
    types = {"PART_OF", "NEXT", "MENTIONS", "STATED", "RELATED", "FROM", "SUBJECT", "OBJECT"}
    assert selectors == nodes | types | {"IN_COMMUNITY", "PARENT", "HAS_FINDING", "CITES"}


def test_a_type_has_the_same_colour_in_neo4j_browser_and_on_the_map() -> None:
    script = data("map/legend.js").read_text("utf-8")
    on_map = re.findall(r'(\w+): "(#\w+)"', script)
    assert [kind for kind, _ in on_map] == list(Settings().entity_types)
    for kind, colour in on_map:
        assert f"node.{label_of(kind)} {{\n  color: {colour.upper()};" in STYLE
    # A node has the style of all its labels, of which the last one counts.
    assert STYLE.index("node.Entity ") < STYLE.index("node.Person ")


def _luminance(colour: str) -> float:
    parts = (int(colour[n : n + 2], 16) / 255 for n in (1, 3, 5))
    linear = (x / 12.92 if x <= 0.04045 else ((x + 0.055) / 1.055) ** 2.4 for x in parts)
    return sum(share * x for share, x in zip((0.2126, 0.7152, 0.0722), linear, strict=True))


def test_the_colours_of_types_stand_out_from_the_ground() -> None:
    style, script = (data(f"map/{name}").read_text("utf-8") for name in ("map.css", "legend.js"))
    grounds = re.findall("--ground: (#[0-9a-f]{6})", style)
    colours = re.findall('"(#[0-9a-f]{6})"', script)
    by_day, by_night = colours[: len(colours) // 2], colours[len(colours) // 2 :]
    for ground, on_it in zip(grounds, (by_day, by_night), strict=True):
        assert len({*on_it}) == len(Settings().entity_types) + 2
        for colour in on_it:
            dark, light = sorted(map(_luminance, (ground, colour)))
            assert (light + 0.05) / (dark + 0.05) >= 3


async def test_the_schema_for_models_is_that_of_the_graph(book: Graph) -> None:
    schema = data("browser/schema.txt").read_text("utf-8")
    told = {
        (of, *one.split(": "))
        for of, held in re.findall(r"^(\w+) {(.*)}$", schema, re.MULTILINE)
        for one in held.split(", ")
    }
    given = {"labels": [*UNIQUE_NODES], "types": TYPES}
    rows = await book.read("export/node_columns", ColumnRow, **given)
    rows += await book.read("export/relationship_columns", ColumnRow, **given)
    held = {
        (row["table"], row["name"], re.split("[< ]", k)[0]) for row in rows for k in row["kinds"]
    }
    assert told - held == set()
    pairs = await book.run_plain(
        "MATCH (a:KgBuild)-[r]->(b:KgBuild) WITH DISTINCT labels(a) AS a, type(r) AS of, "
        "labels(b) AS b UNWIND a AS x UNWIND b AS y RETURN DISTINCT x, of, y"
    )
    ours = UNIQUE_NODES.keys() - {"Spelling"}  # and not the labels of types
    drawn = {(r["x"], r["of"], r["y"]) for r in pairs if {r["x"], r["y"]} <= ours}
    drawn.add(("Finding", "CITES", "Chunk"))  # without a model
    picture = (ROOT / "docs" / "pictures" / "model.svg").read_text("utf-8")
    shown = re.findall(r"\w+", " ".join(re.findall(">([^<]+)</text>", picture)))
    assert {*shown} - {*re.findall(r"\w+", schema)} == set()
    assert {*re.findall(r"\(:(\w+)\)-\[:(\w+)\]->\(:(\w+)\)", schema)} == drawn


def test_saved_cypher_is_one_text_or_a_file_for_each_query() -> None:
    found = sections(NONE)
    text = saved(found, archive=False).decode()
    assert text.count("\n\n// ") == len(NAMES) - 1
    with zipfile.ZipFile(io.BytesIO(saved(found, archive=True))) as packed:
        names = {Path(name).stem: packed.read(name).decode() for name in packed.namelist()}
    assert names == {name: query.text for name, query in queries(dict(NONE)).items()}
    assert saved(found, archive=True) == saved(found, archive=True)


# Serving


BROWSER = "http://localhost:7474"


def ask(port: int, method: str, path: str, host: str = "localhost", origin: str = BROWSER) -> Any:  # noqa: ANN401
    connection = http.client.HTTPConnection("127.0.0.1", port)
    headers = {"Host": host if ":" in host else f"{host}:{port}"}
    connection.request(method, path, headers={**headers, **({"Origin": origin} if origin else {})})
    response = connection.getresponse()
    body = response.read().decode()
    connection.close()
    return response, body


def test_pages_are_served_to_a_browser_of_another_port() -> None:
    with served({"/guide.html": "<p>é</p>"}, {BROWSER}) as port:
        response, body = ask(port, "GET", "/guide.html?t=1")
        assert (response.status, body) == (200, "<p>é</p>")
        assert response.headers["Access-Control-Allow-Origin"] == BROWSER
        assert response.headers["Content-Type"] == "text/html; charset=utf-8"
        preflight, _ = ask(port, "OPTIONS", "/guide.html")
        assert preflight.status == 204
        assert preflight.headers["Access-Control-Allow-Headers"] == "*"
        assert ask(port, "GET", "/other")[0].status == 404
        for host in ("evil.example", "localhost:1", f"localhost.evil.example:{port}"):
            assert ask(port, "GET", "/guide.html", host=host)[0].status == 403
        others = ["https://evil.example", "http://localhost:7475", "https://localhost:7474", "null"]
        for method, origin in product(("GET", "OPTIONS"), (*others, "")):
            response, body = ask(port, method, "/guide.html", origin=origin)
            assert (response.status, body) == (403, "")
            assert not [name for name in response.headers if name.startswith("Access-Control")]
    with served({}, (), port):
        pass


# The map


def unpacked(page: str) -> dict[str, list[list[Any]]]:
    [data] = re.findall(r'type="application/octet-stream">([^<]*)<', page)
    columns: dict[str, list[list[Any]]] = json.loads(zlib.decompress(base64.b64decode(data)))
    return {kind: [list(row) for row in zip(*columns[kind], strict=True)] for kind in columns}


def written(pieces: list[str], runs: list[int]) -> str:
    """What `written` of tables.js makes of runs."""
    text, gap, at = "", "", 0
    for steps, n in zip(runs[::2], runs[1::2], strict=True):
        at += steps
        for piece in pieces[at : at + n]:
            text += ("" if piece == "\n" else gap) + piece
            gap = "" if piece.endswith((" ", "\n", "\t", "\r")) else " "
        at += n
    return text


async def test_the_map_holds_the_whole_graph(book: Graph) -> None:
    tables = unpacked((await read_map(book)).page("Tales"))
    counts = dict((await book.read("status/counts", CountsRow))[0])
    kinds = ("documents", "chunks", "entities", "relationships", "claims", "communities")
    assert {kind: len(tables[kind]) for kind in kinds} == {kind: counts[kind] for kind in kinds}
    text = BOOK.read_text("utf-8")
    pieces = [piece for [piece] in tables["pieces"]]
    chunks = [(start, written(pieces, runs)) for _, _, start, runs, *_ in tables["chunks"]]
    assert all(text[start:].startswith(chunk) for start, chunk in chunks)


SAID = st.lists(st.sampled_from(["Ann met Bob.", "Why?", "So:", " ", "\n", "\t ", "“No”", ""]))


@given(st.lists(SAID.map("".join), max_size=4), st.lists(SAID.map(" ".join), max_size=4))
def test_texts_come_out_of_the_map_as_they_were(exact: list[str], loose: list[str]) -> None:
    pool = TextPool()
    kept = [pool.exactly(text) for text in exact]
    folded = [pool.loosely(text) for text in loose]
    assert [written(pool.pieces, runs) for runs in kept] == exact
    for runs, text in zip(folded, loose, strict=True):
        assert written(pool.pieces, runs).split() == text.split()


async def test_the_rows_of_the_map_are_in_the_order_of_its_script(book: Graph) -> None:
    script = (ROOT / "graphrag_neo4j" / "data" / "map" / "tables.js").read_text()
    orders = dict(re.findall(r'^  (\w+): "([\w ]+)",$', script, re.MULTILINE))
    found = await read_map(book)
    for kind in ("entities", "relationships", "claims", "communities"):
        names = re.findall(r" AS (\w+)", _returned(read_statement(f"map/{kind}")))
        assert sorted(names) == sorted(orders[kind].split())
        assert {len(row) for row in getattr(found, kind)} == {len(names)}


def test_the_page_of_a_map_names_no_other_place() -> None:
    page = Map([], [], [], [], [], []).page("Tales")
    assert "default-src 'none'" in page
    markup = re.sub(r"<script>.*?</script>", "", page, flags=re.DOTALL)  # markdown-it has `.src=`
    assert not re.findall(r"""(?:src|href)=["']?\w""", markup)
    assert EVIL not in Map([[EVIL, EVIL]], [], [], [], [], []).page(EVIL, f"\udcff{EVIL}")
    page = Map([], [], [], [], [], []).page(f"Tales \u202e\udcff& {EVIL}")
    said = "Tales \ufffd\ufffd&amp; &lt;/pre&gt;&lt;/script&gt;&lt;img src=x onerror=alert(1)&gt;"
    assert f"<title>{said} – Map of communities</title>" in page
    assert f">{said}</h1>" in page
    assert "<img" not in page


def _returned(statement: str) -> str:
    """What a statement returns, without its subqueries."""
    return re.sub(r"\{[^{}]*(\{[^{}]*\}[^{}]*)*\}", "", statement.partition("\nRETURN")[2])


async def test_an_empty_graph_has_a_guide_and_no_map(graph: Graph) -> None:
    """The last one, since it empties the book's graph."""
    assert dict(await example_values(graph)) == NONE
    with graph.lend_driver() as driver:
        for query in queries(dict(NONE)).values():
            driver.execute_query(query.text)
    with pytest.raises(InputError, match="kg-build index"):
        await read_map(graph)

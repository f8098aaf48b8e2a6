"""The names that a question holds, in scripts with and without spaces."""

import pytest

from graphrag_neo4j.extractive.query_backend import ExtractiveQueryBackend
from graphrag_neo4j.graph import Graph, await_indexes, ensure_fulltext_indexes
from graphrag_neo4j.model.concurrency import run_in_thread
from graphrag_neo4j.query.graph_expansion import named_in, names
from graphrag_neo4j.query.local import local_context
from graphrag_neo4j.query.query_context import QueryContext
from graphrag_neo4j.settings import load_settings
from tests.support.preset_backend import PresetBackend, describe, documents, found, put, read


@pytest.mark.parametrize(
    ("question", "name"),
    [
        ("Who is Scrooge?", "Scrooge"),
        ("斯克鲁奇是谁？", "斯克鲁奇"),
        ("马利和斯克鲁奇是什么关系", "斯克鲁奇"),
        ("北京大学在哪里？", "北京大学"),
        ("スクルージは誰ですか", "スクルージ"),
        ("夏目漱石は何を書きましたか", "夏目漱石"),
        ("Scrooge是谁？", "Scrooge"),
        ("สครูจคือใคร", "สครูจ"),
    ],
)
def test_a_name_is_found_in_a_question(question: str, name: str) -> None:
    assert named_in(question, name)
    assert names(question, [{"id": "1", "name": name}]) == ["1"]


@pytest.mark.parametrize(
    ("question", "name"),
    [
        ("Who directed The Glass Orchards?", "Orchard"),
        ("マリーは誰ですか", "マリ"),
        ("他是谁", "她"),
        ("李白是谁", "李"),
        ("斯克鲁奇是谁？", "？"),
    ],
)
def test_a_part_of_another_word_is_no_name(question: str, name: str) -> None:
    assert not named_in(question, name)


CHINESE = "马利和马力都在利马。"
PEOPLE = ("马力", "利马", "马利", "马车", "利率", "马利亚")


@pytest.mark.parametrize("expand", ["hop", "ppr"])
@pytest.mark.parametrize("name", ["马力", "利马", "马利", "马利亚"])
async def test_the_entity_that_a_chinese_question_names_comes_first(
    graph: Graph, name: str, expand: str
) -> None:
    told = PresetBackend({CHINESE: found(*((one, "person", f"{one}。") for one in PEOPLE))})
    await put(graph, documents(CHINESE))
    await read(graph, told)
    await describe(graph, told)
    await ensure_fulltext_indexes(graph, "standard-no-stop-words")
    await await_indexes(graph)
    settings = load_settings()
    question = f"{name}是谁？"
    query = QueryContext(
        graph,
        settings,
        ExtractiveQueryBackend(),
        run_in_thread,
        None,
        len,
        question,
        expand="hop" if expand == "hop" else "ppr",
    )
    table = await local_context(query)
    assert table.by_kind()["Entities"][0].text.startswith(f"{name} | ")

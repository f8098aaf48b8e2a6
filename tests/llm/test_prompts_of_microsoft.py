"""The prompt files that `graphrag init` of microsoft/graphrag writes work here as they are.

Their text is not in this project: the wheel comes from PyPI.
"""

import ast
import json
import re
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import pytest

from graphrag_neo4j.llm.prompts import marked
from graphrag_neo4j.llm.tasks.index_backend import WANTED_CLAIMS, LLMIndexBackend
from graphrag_neo4j.llm.tasks.query_backend import LLMQueryBackend
from graphrag_neo4j.llm.tasks.reply_limits import REPORT_WORDS
from graphrag_neo4j.model.context import ContextTable
from graphrag_neo4j.model.material import ReportMaterial
from graphrag_neo4j.model.types import ChunkText, DescribedThing, Point, Request, StreamedTask
from graphrag_neo4j.settings import Settings, load_settings
from tests.support.by_hand import drive

pytestmark = [pytest.mark.download, pytest.mark.one_release]

RELEASE = "graphrag==3.3.0"
# The files that `graphrag init` writes and that a step of ours reads: module, name of the constant.
FILES: Mapping[str, tuple[str, str]] = {
    "extract_graph": ("index/extract_graph", "GRAPH_EXTRACTION_PROMPT"),
    "extract_claims": ("index/extract_claims", "EXTRACT_CLAIMS_PROMPT"),
    "summarize_descriptions": ("index/summarize_descriptions", "SUMMARIZE_PROMPT"),
    "community_report_graph": ("index/community_report", "COMMUNITY_REPORT_PROMPT"),
    "local_search_system_prompt": (
        "query/local_search_system_prompt",
        "LOCAL_SEARCH_SYSTEM_PROMPT",
    ),
    "global_search_map_system_prompt": (
        "query/global_search_map_system_prompt",
        "MAP_SYSTEM_PROMPT",
    ),
    "global_search_reduce_system_prompt": (
        "query/global_search_reduce_system_prompt",
        "REDUCE_SYSTEM_PROMPT",
    ),
}
# A file that init writes for another way to index: no step of ours reads it.
OTHER = (
    "community_report_text",
    "index/community_report_text_units",
    "COMMUNITY_REPORT_TEXT_PROMPT",
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of prompts as `graphrag init` makes it."""
    downloaded = tmp_path_factory.mktemp("wheel")
    subprocess.run(  # noqa: S603 - our own Python
        [sys.executable, "-m", "pip", "download", "-q", "--no-deps", "-d", downloaded, RELEASE],
        check=True,
    )
    [wheel] = downloaded.glob("*.whl")
    prompts = tmp_path_factory.mktemp("prompts")
    with ZipFile(wheel) as files:
        for name, (module, constant) in {**FILES, OTHER[0]: OTHER[1:]}.items():
            source = files.read(f"graphrag/prompts/{module}.py").decode()
            (prompts / f"{name}.txt").write_text(_constant(source, constant), "utf-8")
    return prompts


def _constant(source: str, name: str) -> str:
    for node in ast.parse(source).body:
        if isinstance(node, ast.Assign) and [ast.unparse(one) for one in node.targets] == [name]:
            return str(ast.literal_eval(node.value))
    raise AssertionError(f"{name} is not there")


@pytest.fixture
def settings(folder: Path) -> Settings:
    return load_settings(prompts=folder, gleanings=0)


def asked(request: Request) -> str:
    """The prompt, in which no placeholder of theirs is left."""
    text = request.messages[0].content
    assert re.findall(r"\{\w+\}|\{\{|\}\}", text) == []
    return text


def example_of(prompt: str) -> str:
    """What their last example gives as the reply."""
    return prompt.rpartition("Output:")[0].rpartition("Output:")[2].partition("####")[0]


@pytest.mark.parametrize("claims", [False, True])
def test_the_records_of_their_own_example_are_read(settings: Settings, *, claims: bool) -> None:
    given = settings.changed(entity_types="person,ship")
    backend, chunk = LLMIndexBackend(given), ChunkText("c", "Ann sails.")
    prompt = asked(next(backend.claims(chunk) if claims else backend.extract(chunk)))
    assert (
        f"Claim description: {WANTED_CLAIMS}\n" if claims else "Entity_types: person, ship\n"
    ) in prompt
    assert marked("Ann sails.") in prompt
    reply = example_of(prompt).partition("-Real Data-")[0]
    found: Any = drive(backend.claims(chunk) if claims else backend.extract(chunk), [reply])[0]
    read = found.claims if claims else [*found.entities, *found.relationships]
    assert len(read) == reply.count("\n(")
    assert not found.unusable
    assert not found.cut


def test_the_report_of_their_own_example_is_read(settings: Settings) -> None:
    backend = LLMIndexBackend(settings)
    empty = ReportMaterial({}, [], [])
    prompt = asked(next(backend.report("# Entities", empty)))
    assert f"{REPORT_WORDS} words" in prompt
    told: Any = json.JSONDecoder().raw_decode(example_of(prompt).strip())[0]
    # A reply may say what its material says, also where the prompt has the same words.
    report, _ = drive(backend.report(json.dumps(told), empty), [json.dumps(told)])
    assert report.title == told["title"]
    assert len(report.findings) == len(told["findings"])


def test_descriptions_and_questions_fill_all_their_placeholders(settings: Settings) -> None:
    joined = LLMIndexBackend(settings).summarize([DescribedThing("Ann", ["A", "B"])])
    assert "280 words" in asked(next(joined))
    backend = LLMQueryBackend(settings)
    context = ContextTable(100, len)
    answer = backend.answer("Who?", context, [])
    reduce = backend.reduce("Who?", [Point("Ann sails.", 80)], [])
    assert isinstance(answer, StreamedTask)
    assert settings.response_type in asked(answer.request)
    assert "2000" in asked(reduce.request)
    assert "1000" in asked(next(backend.points("Who?", context)))

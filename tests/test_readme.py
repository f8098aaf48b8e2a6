"""README.md and docs/ do what they say: each block is run, each name in them exists."""

import ast
import inspect
import io
import json
import os
import re
import shlex
import subprocess
import sys
import tomllib
from collections.abc import AsyncIterator, Iterator
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import anyio
import click
import pytest
from fastapi.testclient import TestClient
from mcp import Client, StdioServerParameters, stdio_client

from graphrag_neo4j import AsyncGraphRAG, cli, embedded
from graphrag_neo4j.extras.importing.neo4j import PASSWORD
from graphrag_neo4j.graph.connection import Graph
from graphrag_neo4j.graph.dump import Dump, dump
from graphrag_neo4j.settings import load_settings
from tests.conftest import Run
from tests.support.generated import settings
from tests.support.graphrag_tables import CAROL
from tests.support.paths import ROOT
from tests.support.serving import TOKEN, served
from tests.support.wiping import wipe

PAGES = {
    path.relative_to(ROOT).as_posix(): path.read_text("utf-8")
    for path in [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted(ROOT.glob("docs/*.md"))]
}
TEXT = "\n".join(PAGES.values())
FENCED = re.compile(r"^```(?P<language>\w*)\n(?P<text>.*?)^```$", re.MULTILINE | re.DOTALL)
COMMENT = re.compile(r"(^|\s+)#.*")
SAMPLE = ROOT / "graphrag_neo4j" / "data" / "sample"
BENCH = ".venv/bin/python scripts/bench/"
EVALUATION = (
    "kg-build eval "  # hundreds of answers; tests/extras/evaluate/test_commands.py runs these
)
ELSEWHERE = {  # what runs the lines that no test runs as they stand
    # They make .venv, and a server.
    "scripts/quickstart": "scripts/quickstart",
    "scripts/quickstart path/to/your/documents": "scripts/quickstart",
    "source .venv/bin/activate": "tests/test_quickstart.py",
    "scripts/test": ".ci/run",
    # The extras are checked here.
    'pip install ".[local,docs,watch,serve]"': "scripts/venv",
    "pip install .": "tests/test_wheel.py",
    'pip install ".[index]"': "scripts/venv",
    'pip install ".[parquet]"': "scripts/venv",
    'pip install ".[eval]"': "scripts/venv",
    'pip install ".[ray]"': "scripts/venv",
    # They need a graph of its own.
    "kg-build --home .sample sample": "tests/extras/test_sample.py",
    'kg-build --home .sample query "What are the main themes?"': "tests/extras/test_sample.py",
    'kg-build --home .sample query "Which people are mentioned?"': "tests/extras/test_sample.py",
    "kg-build --home .sample serve": "tests/extras/serve/test_serve.py",
    # They need documents with these names.
    'kg-build resolve --same "ML" "machine learning"': "tests/cli/test_resolve.py",
    'kg-build resolve --different "ML" "machine learning"': "tests/cli/test_resolve.py",
    'kg-build resolve --split "Mercury" --type organization': (
        "tests/index/entities/test_split.py"
    ),
    'kg-build resolve --split "Mercury" --documents "*astronomy*" --label planet': (
        "tests/cli/test_resolve.py"
    ),
    "kg-build resolve --undo 12": "tests/cli/test_resolve.py",
    'kg-build query "Who is the guest?" --as-of 2021-06': "tests/cli/test_cli.py",
    # It ends with 1 as long as the document is there.
    "kg-build delete --check my-documents/old.txt": "tests/index/test_forgotten.py",
    # They go on until Ctrl-C, or wait for a batch.
    "kg-build index my-documents/ --watch": "tests/index/test_watch.py",
    "kg-build index my-documents/ --watch --max-cost-a-day 2": "tests/index/test_watch.py",
    "kg-build browse": "tests/extras/explore/test_browser.py",
    "kg-build serve": "tests/extras/serve/test_serve.py",
    "kg-build serve --write": "tests/extras/serve/test_serve.py",
    "kg-build serve my-documents/": "tests/extras/serve/test_serve.py",
    "kg-build index my-documents/ --batch": "tests/index/batches/test_batches.py",
    "kg-build index my-documents/ --batch --wait": "tests/index/batches/test_batches.py",
    # They need an embedded server.
    "kg-build neo4j dump tale.dump": "tests/embedded/test_archive.py",
    "kg-build neo4j load tale.dump --yes": "tests/embedded/test_archive.py",
    # They need another server.
    "kg-build import neo4j --from bolt://films.example:7687 --suggest-mapping movies.yaml": (
        "tests/extras/importing/test_neo4j.py"
    ),
    "kg-build import neo4j --from bolt://films.example:7687 --mapping movies.yaml": (
        "tests/extras/importing/test_neo4j.py"
    ),
    # They start Ray, or need a cluster.
    "kg-build index my-documents/ --ray": "tests/extras/test_ray.py",
    "kg-build index my-documents/ --ray auto": "tests/extras/test_ray.py",
    "kg-build index my-documents/ --ray 10.0.0.5:6379": "tests/extras/test_ray.py",
    "RAY_ADDRESS=http://head:8265 ray job submit --no-wait -- kg-build index /documents --ray": (
        "docs/cluster/rayjob.yaml"
    ),
}
PASSING = {"Batch", "BatchRequest", "COPY_OF"}  # only while a batch waits, and of copies
NAMES = {setting.name for setting in settings()}

one_release = pytest.mark.one_release


class Block(NamedTuple):
    """A fenced block of a page; `line`: where it begins."""

    language: str
    text: str
    page: str
    line: int

    @property
    def commands(self) -> list[str]:
        """Its lines without comments."""
        lines = (COMMENT.sub("", line) for line in self.text.splitlines())
        return [line for line in lines if line]


BLOCKS = [
    Block(found["language"], found["text"], page, text[: found.start()].count("\n") + 1)
    for page, text in PAGES.items()
    for found in FENCED.finditer(text)
]


def spans(begin: str) -> list[str]:
    """What stands as `code` in the prose and begins so."""
    prose = FENCED.sub("", TEXT)
    found = re.findall(rf"`({re.escape(begin)}[^`]*)`", prose)
    return [span.replace("\\|", "|") for span in found]


def command_of(line: str) -> tuple[list[click.Command], set[str]]:
    """The commands that a line of `kg-build` names (`start|stop` are two), and its options."""
    words = shlex.split(line)[1:]
    found: list[click.Command] = [cli.commands]
    while words and isinstance(group := found[0], click.Group):
        found = [_named(group, name) for name in words.pop(0).split("|")]
    return found, {word for word in words if word.startswith("--")}


def options_of(command: click.Command) -> set[str]:
    """The options of a command, of a group those of all its commands."""
    own = {opt for one in command.params for opt in (*one.opts, *one.secondary_opts)}
    if not isinstance(command, click.Group):
        return own
    inner = (_named(command, name) for name in command.list_commands(click.Context(command)))
    return own.union(*map(options_of, inner))


def _named(group: click.Group, name: str) -> click.Command:
    command = group.get_command(click.Context(group), name)
    if command is None:
        raise KeyError(name)
    return command


def each(language: str) -> pytest.MarkDecorator:
    """For each block of a language."""
    found = [block for block in BLOCKS if block.language == language]
    ids = [f"{block.page}:{block.line}" for block in found]
    return pytest.mark.parametrize("block", found, ids=ids)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The folder where commands are run, with the folders that the README speaks of."""
    folder = tmp_path_factory.mktemp("readme")
    (folder / "my-documents").mkdir()
    for path in (*SAMPLE.glob("EP-11*.txt"), *SAMPLE.glob("EP-13*.txt")):
        (folder / "my-documents" / path.name).write_text(path.read_text("utf-8")[:6000], "utf-8")
    old = "Ada met Charles in London in 1833. OpenAI was not there."
    (folder / "my-documents" / "old.txt").write_text(old)
    (folder / "path" / "to").mkdir(parents=True)
    (folder / "path" / "to" / "output").symlink_to(CAROL)
    yield folder
    embedded.stop(load_settings(home=folder / "home"))  # the one that `kg-build neo4j` started


@pytest.fixture
def docs(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder that is indexed; the working folder is the one above."""
    monkeypatch.chdir(folder)
    monkeypatch.setenv("KG_HOME", str(folder / "home"))
    monkeypatch.setenv("KG_GLEANINGS", "0")
    monkeypatch.setenv("KG_MAX_CLUSTER_SIZE", "6")
    return folder / "my-documents"


@pytest.fixture(scope="module")
async def index(connected: Graph) -> AsyncIterator[list[Dump]]:
    """The dump of the index, once it is made; at the end the graph is emptied."""
    made: list[Dump] = []
    yield made
    await wipe(connected)


@pytest.fixture
async def indexed(
    index: list[Dump],
    connected: Graph,
    docs: Path,
    environment: None,  # noqa: ARG001 - before this
) -> Graph:
    """The graph of `docs`, made anew only where a test has changed it."""
    if [await dump(connected)] != index:
        await wipe(connected)
        async with AsyncGraphRAG.from_env() as rag:
            assert (await rag.index(docs)).complete
        index[:] = [await dump(connected)]
    return connected


def test_every_block_is_of_a_language_that_is_run_here() -> None:
    run = {"sh", "python", "cypher", "json", "ini", "text"}
    run |= {"yaml"}  # in tests/index/importing
    assert [block for block in BLOCKS if block.language not in run] == []


@pytest.mark.slow
@one_release
@each("sh")
@pytest.mark.usefixtures("environment", "docs")
def test_its_commands_run(
    block: Block, request: pytest.FixtureRequest, kg: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    lines = [line for line in block.commands if line not in ELSEWHERE]
    builds = re.search(r"kg-build (index|import)", block.text)
    if any("kg-build" in line for line in lines):
        request.getfixturevalue("graph" if builds else "indexed")
    for line in lines:
        if line.startswith((BENCH, EVALUATION)):
            (knows_its_options if line.startswith(BENCH) else names_what_exists)(line)
            continue
        with monkeypatch.context() as patch:
            patch.setattr(sys, "stdin", io.StringIO("Who is there?\n\n"))
            ran = kg(*arguments(line, patch))
        assert ran.code == 0, f"{line}\n{ran.out}{ran.err}"


def arguments(line: str, patch: pytest.MonkeyPatch) -> list[str]:
    """Those of a line of kg-build; settings before it go into the environment."""
    words = shlex.split(line)
    while "=" in words[0]:
        patch.setenv(*words.pop(0).split("=", 1))
    assert words.pop(0) == "kg-build", f"nobody runs {line!r}: see ELSEWHERE"
    return words


def knows_its_options(line: str) -> None:
    """A benchmark takes minutes; that it starts, and knows the options, is seen by its help."""
    _, script, *given = shlex.split(line)
    assert [word for word in given if word.startswith("--") and word not in helped(script)] == []


def names_what_exists(line: str) -> None:
    """A command and its options exist, whether or not it is run here."""
    commands, options = command_of(line)
    assert [one for one in commands if not options <= options_of(one)] == [], line


@cache
def helped(script: str) -> str:
    """What a script says of its options."""
    command = [sys.executable, str(ROOT / script), "--help"]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout  # noqa: S603 - our own


def test_what_is_not_run_here_stands_in_it_and_is_run_there() -> None:
    lines = {line for block in BLOCKS if block.language == "sh" for line in block.commands}
    assert ELSEWHERE.keys() - lines == set()
    assert [where for where in ELSEWHERE.values() if not (ROOT / where).is_file()] == []


def test_commands_options_and_extras_in_its_prose_exist() -> None:
    assert len(spans("kg-build")) > 5
    for span in spans("kg-build"):
        names_what_exists(span)
    given = {span.split()[0] for span in spans("--")}
    assert given - options_of(cli.commands) == set()
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    named = re.findall(r'pip install "\.\[([\w,]+)\]"', TEXT)
    extras = project["optional-dependencies"].keys()
    assert {extra for some in named for extra in some.split(",")} <= extras


def test_settings_that_it_names_exist() -> None:
    named = set(re.findall(r"\b(?:KG|NEO4J|OPENAI)_[A-Z0-9_]*[A-Z]\b", TEXT))
    assert {name for name in named if not name.startswith("KG_TEST_")} == NAMES | {PASSWORD}


def test_its_links_lead_to_files_and_sections() -> None:
    for page, text in PAGES.items():
        for link in re.findall(r"\]\(([^)]+)\)", text):
            path, _, anchor = link.partition("#")
            file = (ROOT / page).parent / path if path else ROOT / page
            assert file.exists(), f"{page}: {link}"
            assert not anchor or anchor in anchors(file), f"{page}: {link}"


def anchors(page: Path) -> set[str]:
    headings = re.findall(r"^#+ (.*)", page.read_text("utf-8"), re.MULTILINE)
    return {heading.lower().replace(" ", "-") for heading in headings}


@pytest.mark.slow
@one_release
@each("python")
@pytest.mark.usefixtures("indexed")
async def test_its_python_runs_in_a_notebook_in_a_service_and_as_a_script(
    block: Block, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if (address := "http://127.0.0.1:8321") in block.text:
        monkeypatch.setenv("KG_SERVE_TOKEN", TOKEN)
        with served(tmp_path, dict(os.environ)) as running:
            exec(block.text.replace(address, running.url), {})  # noqa: S102 - our own page
        return
    if "neo4j_graphrag" in block.text:  # no part of this project needs this package
        pytest.importorskip("neo4j_graphrag")
    code = compile(block.text, "README.md", "exec", ast.PyCF_ALLOW_TOP_LEVEL_AWAIT, True)
    names: dict[str, Any] = {"__name__": "__main__"}
    done = eval(code, names)  # noqa: S307 - as a notebook does it, in a loop that runs
    if inspect.iscoroutine(done):
        await done
        return
    if "app" in names:
        with TestClient(names["app"]) as client:
            reply = client.get("/ask", params={"question": "What did Sam Altman say?"})
        assert reply.status_code == 200
        assert reply.json()["citations"], reply.text
    script = [sys.executable, "-W", "error", "-c", block.text]
    ran = await anyio.run_process(script, check=False)
    assert (ran.returncode, ran.stderr.decode()) == (0, "")


@each("cypher")
async def test_its_cypher_finds_something(block: Block, indexed: Graph) -> None:
    for statement in block.text.split(";"):
        if statement.strip():
            assert await indexed.run_plain(statement), statement


@one_release
@each("json")
@pytest.mark.usefixtures("indexed")
async def test_an_assistant_configured_so_is_served(block: Block, tmp_path: Path) -> None:
    [server] = json.loads(block.text)["mcpServers"].values()
    assert server["command"] == "kg-build"
    assert server["env"].keys() <= NAMES
    started = StdioServerParameters(
        command=sys.executable,
        args=["-m", "graphrag_neo4j.cli", *server["args"]],
        env={**os.environ, **server["env"]},
        cwd=tmp_path,
    )
    async with Client(stdio_client(started)) as client:
        tools = (await client.list_tools()).tools
    assert [tool.name for tool in tools if f"`{tool.name}`" not in TEXT] == []


@each("ini")
def test_its_env_file_holds_settings(block: Block, tmp_path: Path) -> None:
    lines = re.sub("^# (?=[A-Z])", "", block.text, flags=re.MULTILINE)
    assert set(re.findall("^([A-Z_]+)=", lines, re.MULTILINE)) <= NAMES
    (tmp_path / ".env").write_text(lines)
    assert load_settings().has_model


@one_release
@each("text")
async def test_what_it_shows_is_so(block: Block, indexed: Graph) -> None:
    if "Sources:" in block.text:
        shows_real_places(block.text)
    else:
        drawn = re.findall(r"[(|]:([A-Z][A-Za-z]+)|\b([A-Z]{2}[A-Z_]+)\b", block.text)
        found = await indexed.run_plain(
            "MATCH (n) UNWIND labels(n) AS name RETURN DISTINCT name "
            "UNION MATCH ()-[r]->() RETURN DISTINCT type(r) AS name"
        )
        of_types = await indexed.run_plain("MATCH (s:State) UNWIND s.type_labels AS x RETURN x")
        there = {row["name"] for row in found} - {"Counter", *(row["x"] for row in of_types)}
        assert {a or b for a, b in drawn} - PASSING == there


def shows_real_places(text: str) -> None:
    """Quotes stand in the sample documents in the lines that are named."""
    quoted = r"^- ([^\[]+) \[Data: [^\]]+\]\n  [^\n]+, in (\S+\.txt), line ([\d,]+)$"
    places = re.findall(quoted, text, re.MULTILINE)
    assert places
    for quote, name, number in places:
        line = (SAMPLE / name).read_text("utf-8").split("\n")[int(number.replace(",", "")) - 1]
        assert " ".join(quote.split()) in " ".join(line.split())

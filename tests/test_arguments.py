"""What a caller gives wrongly: one sentence says so, and names the nearest right one."""

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from graphrag_neo4j import (
    AsyncGraphRAG,
    Corpus,
    Document,
    GraphRAG,
    InputError,
    ReadOptions,
    Settings,
)
from graphrag_neo4j.graph.driver import check_address
from graphrag_neo4j.model.events import Event, Notice
from graphrag_neo4j.query.question import Question, asked_of
from graphrag_neo4j.settings import OF_A_QUESTION, load_settings, unknown_names
from tests.conftest import Make, Run

pytestmark = pytest.mark.one_release

TALE = "Ebenezer Scrooge met Jacob Marley in London in 1843. Marley was dead in London."
# What no database is needed for is said before this address, where nothing answers, is tried.
NOWHERE = "bolt://127.0.0.1:1"


def refused(say: Callable[[], object]) -> str:
    with pytest.raises(InputError) as error:
        say()
    return str(error.value)


@pytest.mark.parametrize(
    "make",
    [
        load_settings,
        Settings,
        GraphRAG.from_env,
        AsyncGraphRAG.from_env,
        lambda **given: load_settings().changed(**given),
    ],
)
def test_a_misspelt_setting_is_refused(make: Callable[..., object]) -> None:
    said = "There is no setting max_cots. Did you mean max_cost?"
    assert refused(lambda: make(max_cots=5)) == said
    assert refused(lambda: make(max_cots=None)) == said
    both = refused(lambda: make(neo4j_url="x", zzz=1))
    assert both == "There is no setting neo4j_url. Did you mean neo4j_uri? There is no setting zzz."


def test_a_misspelt_name_in_the_environment_and_in_env_is_said(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("KG_MAX_COTS", "5")
    monkeypatch.setenv("KG_TEST_ANYTHING", "x")
    monkeypatch.setenv("KG_MAX_CALLS", "2")
    (tmp_path / ".env").write_text("kg_langage=German\nNEO4J_URI=bolt://a\nKG_TIMEOUT=3\nA=b\n")
    nothing = "which is not a setting and does nothing. Did you mean"
    said = [
        f"The environment sets KG_MAX_COTS, {nothing} KG_MAX_COST?",
        f"The file .env sets KG_LANGAGE, {nothing} KG_LANGUAGE?",
    ]
    assert unknown_names() == said
    for kind in (GraphRAG, AsyncGraphRAG):
        heard: list[Event] = []
        kind.from_env(heard.append)
        assert heard == [Notice(sentence, warning=True) for sentence in said]


def test_an_env_file_that_is_not_utf_8_is_said(tmp_path: Path) -> None:
    (tmp_path / ".env").write_bytes("KG_LANGUAGE=Français".encode("latin-1"))
    assert refused(load_settings) == "The file .env is not UTF-8 text: save it as UTF-8."


@pytest.mark.parametrize(
    ("address", "instead"),
    [
        ("http://localhost:7474", "neo4j://localhost:7687."),
        ("https://db.example:7473/browser/", "neo4j+s://db.example:7687."),
        ("http://[::1]:7474", "neo4j://[::1]:7687."),
        ("localhost", "neo4j://localhost."),
        ("localhost:7687", "neo4j://localhost:7687."),
        ("bolt://::1:7687", "bolt://localhost:7687."),
        ("bolt://", "bolt://localhost:7687."),
        ("neo4js://db", "Did you mean neo4j+s?"),
        ("bolt://db:99999", "bolt://localhost:7687."),
        ("bolt://db:0", "bolt://localhost:7687."),
        ("bolt://my db:7687", "bolt://localhost:7687."),
        ("bolt://db:7687/tales", "NEO4J_DATABASE=tales if that names the database."),
    ],
)
def test_an_address_that_is_none_is_said_with_the_one_to_set(address: str, instead: str) -> None:
    said = refused(lambda: check_address(address))
    assert "sesame" not in refused(lambda: check_address("http://neo4j:sesame@localhost"))
    assert said.startswith(f"NEO4J_URI={address} ")
    assert said.endswith(instead)


@pytest.mark.parametrize(
    ("how", "said"),
    [
        ({"method": "locl"}, "method must be one of .*, not 'locl'. Did you mean local?"),
        ({"level": -1}, "level must be a whole number from 0 on"),
        ({"level": "0"}, "level must be a whole number, and '0' was given"),
        ({"dynamic": "no"}, "dynamic must be True or False, and 'no' was given"),
        ({"history": ["ab"]}, "history must be a list of pairs"),
        ({"method": "local", "level": 0}, "option level is for global search, but the method is"),
        ({"dynamic": True, "level": 0}, "The option dynamic chooses the reports itself"),
    ],
)
def test_an_option_of_a_question_that_can_not_be_used(how: dict[str, Any], said: str) -> None:
    with pytest.raises(InputError, match=said):
        Question("Who is there?", **how)
    wrong: list[Any] = [None, 5, "", " \n\t", "\udcff", b"Who?"]
    for text in wrong:
        assert refused(lambda text=text: Question(text)).startswith("The question ")  # type: ignore[misc]


SAYS: list[tuple[Callable[[GraphRAG], object], str]] = [
    (lambda rag: rag.query(None), "The question must be a text"),  # type: ignore[arg-type]
    (lambda rag: rag.query("???"), "The question holds no word"),
    (lambda rag: rag.query("Who?", method="locl"), "Did you mean local?"),  # type: ignore[arg-type]
    (lambda rag: rag.query("Who?", metod="local"), "no setting metod. Did you mean method?"),  # type: ignore[call-arg]
    (lambda rag: rag.query("Who?", neo4j_uri="bolt://a"), "can't be changed for one question"),  # type: ignore[call-arg]
    (lambda rag: rag.local_search("Who?", method="text"), "local_search has its method already"),  # type: ignore[call-arg]
    (lambda rag: rag.index(None), "index takes a path, a list of paths, or a list of documents"),  # type: ignore[arg-type]
    (lambda rag: rag.index(Document(TALE, "a")), "index takes a path"),  # type: ignore[arg-type]
    (lambda rag: rag.index([], options=None), "options must be ReadOptions"),  # type: ignore[arg-type]
    (lambda rag: rag.index([], prune="no"), "prune must be True or False"),  # type: ignore[arg-type]
    (lambda rag: rag.delete(None), "A source must be a path"),  # type: ignore[arg-type]
    (lambda rag: rag.import_graphrag(None), "The folder of an import must be a path"),  # type: ignore[arg-type]
    (lambda rag: rag.communities(-1), "level must be a whole number from 0 on"),
    (lambda rag: rag.report(None), "A report's ref must be a whole number"),  # type: ignore[arg-type]
    (lambda rag: rag.entity(""), "An entity's name is empty"),
    (lambda rag: rag.find_entities(None), "The name to find must be a text"),  # type: ignore[arg-type]
    (lambda rag: rag.find_entities("Marley", limit=-1), "limit must be a whole number from 1 on"),
    (lambda rag: rag.sources("1"), "A source's ref must be a whole number"),  # type: ignore[arg-type]
]


@pytest.mark.parametrize(
    ("made", "said"),
    [
        ((None, "a.txt"), "The text of the document 'a.txt' must be a str, and is None."),
        ((5, "a.txt"), "The text of the document 'a.txt' must be a str, and is 5."),
        ((b"Marley", "a.txt"), "The text of the document 'a.txt' must be a str, and is b'Marley'."),
        ((TALE, None), "The source of the document 'Ebenezer Scrooge met "),
        ((TALE, Path("a.txt")), "must be a str, and is PosixPath('a.txt')."),
        (("Marley was dead.", ""), "The source of the document 'Marley was dead.' is empty: give"),
        (("Marley was dead.", " \n"), "The source of the document 'Marley was dead.' is empty"),
        ((TALE, "a.txt", None), "The title of the document 'a.txt' must be a str, and is None."),
        ((TALE, "a.txt", "", ["x"]), "The metadata of the document 'a.txt' must be a Mapping"),
    ],
)
def test_a_document_that_can_not_be_one_is_named(made: tuple[Any, ...], said: str) -> None:
    assert said in refused(lambda: Document(*made))


@dataclass
class Loaded:
    """A document as LangChain has it, of a loader that checks nothing."""

    page_content: object = TALE
    metadata: object = field(default_factory=lambda: {"source": "a.txt"})
    id: str | None = None


@pytest.mark.parametrize(
    ("loaded", "said"),
    [
        (Loaded(None), "The text of the document 'a.txt' must be a str, and is None."),
        (Loaded(metadata=None), "A Loaded is not a Document"),
        (Loaded(metadata={}), 'has no metadata "source" and no id'),
        (Loaded(metadata={"source": " "}), "The source of the document 'Ebenezer Scrooge met"),
        (TALE, "A str is not a Document: give Documents(text, source)"),
    ],
)
def test_a_document_of_a_list_is_named_by_its_place(loaded: object, said: str) -> None:
    corpus = Corpus.of([Document(TALE, "b"), loaded], ReadOptions())
    told = refused(lambda: [*corpus.items])
    assert told.startswith("Document 2 of the list: ")
    assert said in told


@pytest.mark.parametrize(
    "text",
    [
        "the text itself",
        TALE,
        "Marley was dead.\nHe was.",
        "He/she met Marley in London.",
        "马利死了。",
        "Marley" * 9_000,
        "Marley " * 9_000,
    ],
)
def test_a_text_that_is_given_as_a_path_is_told_from_a_path_that_is_not_there(text: str) -> None:
    for given in (text, [text], [Path(), text]):
        said = refused(lambda given=given: Corpus.of(given, ReadOptions()))  # type: ignore[misc]
        assert said.endswith("looks like a text: give [Document(text, source)].")
        assert len(said) < 140


@pytest.mark.parametrize(
    "path", ["gone", "gone.txt", "my papers", "papers/gone.txt", "Minutes of the meeting.txt"]
)
def test_a_path_that_is_not_there_stays_a_path(path: str, tmp_path: Path) -> None:
    assert "matches no file" in refused(lambda: Corpus.of(path, ReadOptions()))
    folder = tmp_path / "the text of a talk. It was long."
    folder.mkdir()
    (folder / "a.txt").write_text(TALE)
    for there in (folder.name, "the text of*/a.txt", "the text of a talk*"):
        assert len([*Corpus.of(there, ReadOptions()).items]) == 1, there


@pytest.mark.usefixtures("graph")
def test_each_method_refuses_what_it_can_not_use(alone: Settings) -> None:
    with GraphRAG(alone) as rag:
        for say, said in SAYS:
            assert said in refused(lambda say=say: say(rag))  # type: ignore[misc]


@pytest.mark.parametrize("kind", [GraphRAG, AsyncGraphRAG])
def test_what_is_no_settings_and_no_listener_is_refused(kind: Callable[..., object]) -> None:
    assert "made from Settings" in refused(lambda: kind(None))
    assert "listen must be a function" in refused(lambda: kind(load_settings(), None))


@pytest.fixture
def in_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The working folder, with one document; nothing answers where Neo4j is said to be."""
    (tmp_path / "here.txt").write_text(TALE)
    monkeypatch.setenv("NEO4J_URI", NOWHERE)
    return tmp_path


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (["index", "/nowhere"], 1, "/nowhere matches no file: check the path."),
        (["index", "here.txt", "--source-root", "sub"], 1, "lies outside the source root"),
        (["delete", ""], 1, "A source is empty"),
        (["import", "graphrag", "/nowhere"], 1, "name the folder that microsoft/graphrag"),
        (["map", "-o", "/nowhere/map.html"], 1, "because the folder /nowhere does not exist"),
        (["query", " "], 2, "The question is empty"),
        (["query", "Who?", "--method", "local", "--level", "1"], 2, "is for global search"),
        (["query", "Who?", "--dynamic", "--level", "5"], 2, "dynamic chooses the reports"),
        (["query", "Who?", "--level", "0", "--max-calls", "5"], 2, "either level or max_calls"),
        (["query", "Who?", "--dynamic", "--max-calls", "5"], 2, "dynamic chooses the reports"),
        (["qery", "Who?"], 2, "Did you mean 'query'?"),
        (["status", "--home", "here"], 2, "--home stands before the command"),
        (["index", "here.txt", "--watch", "--prune", "--again", "vectors"], 2, "without --prune"),
        (["index", "here.txt", "--max-cost-a-day", "2"], 2, "together with --watch"),
        (["index", "here.txt", "--again", "vector"], 2, "Did you mean vectors?"),
        (["browse", "--show-password"], 1, "only to a terminal"),
        (["index", "here.txt", "--max-cost", "nan"], 1, "KG_MAX_COST"),
        (["query", "Who?", "--contxt-only"], 2, "Did you mean '--context-only'?"),
        (["neo4j", "start", "--release", "2026.1"], 2, "Did you mean 2026.01?"),
    ],
)
def test_a_command_refuses_what_it_can_before_it_looks_for_neo4j(
    kg_alone: Run, in_folder: Path, arguments: list[str], code: int, said: str
) -> None:
    (in_folder / "sub").mkdir()
    ran = kg_alone(*arguments)
    assert (ran.code, ran.out) == (code, "")
    assert said in ran.err
    assert "does not answer" not in ran.err


@pytest.mark.parametrize("command", [["query", "Who?"], ["chat"], ["index", "here.txt"], ["mcp"]])
@pytest.mark.usefixtures("in_folder")
def test_a_setting_that_can_not_be_used_is_refused_before_neo4j(
    kg_alone: Run, monkeypatch: pytest.MonkeyPatch, command: list[str]
) -> None:
    monkeypatch.setenv("KG_PROMPTS", "nowhere")
    monkeypatch.setenv("OPENAI_API_KEY", "sk-another")
    ran = kg_alone(*command)
    assert (ran.code, "KG_PROMPTS=nowhere isn't a folder" in ran.err) == (1, True)
    monkeypatch.delenv("KG_PROMPTS")
    monkeypatch.setenv("OPENAI_API_KEY", "ключ")
    ran = kg_alone(*command)
    assert (ran.code, "OPENAI_API_KEY holds characters that no key" in ran.err) == (1, True)


@pytest.mark.usefixtures("graph", "environment")
def test_names_that_are_misspelt_options_that_do_nothing_and_levels_that_are_not_there(
    kg: Run, settings: Make, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KG_MODEL", "extractive")
    (tmp_path / "tale.txt").write_text(TALE)
    assert kg("index", "tale.txt", "--quiet").code == 0
    heard: list[Event] = []
    with GraphRAG(settings(model="extractive"), heard.append) as rag:
        assert "Did you mean Ebenezer Scrooge?" in refused(lambda: rag.entity("Ebenezer Scrooje"))
        assert "Did you mean" in refused(lambda: rag.entity("Marly"))
        assert refused(lambda: rag.entity("Quux")) == "There is no entity 'Quux' in the graph."
        answer = rag.local_search("Where was Marly in London?")
    [said] = [one.text for one in heard if isinstance(one, Notice) and one.warning]
    assert said.startswith("The data does not contain the word Marly. Did you mean ")
    assert said.endswith("Marley?")
    assert answer.found
    ran = kg("query", "Where was Marly in London?", "--json")
    assert "Did you mean" in ran.err
    missing = kg("delete", "tael.txt")
    assert missing.code == 1
    assert f"Did you mean {(tmp_path / 'tale.txt').as_uri()}?" in missing.err
    for option, value in (("level", "0"), ("max-calls", "3")):
        ran = kg("query", "Where was Marley?", f"--{option}", value, "--json")
        assert ran.json["method"] == "local"
        [line] = ran.err.splitlines()
        assert line.startswith(f"The option {option.replace('-', '_')} has no effect")
    ran = kg("query", "What are the main themes?", "--level", "77")
    assert ran.code == 1
    assert "There is no level 77. The only level is 0." in ran.err


def test_a_setting_of_the_client_and_an_unknown_name_are_refused_for_one_question() -> None:
    settings = load_settings(openai_api_key="sk-test")
    of_client = ("neo4j_uri", "neo4j_password", "openai_api_key", "concurrency", "chunk_tokens")
    for name, value in {**dict.fromkeys(of_client, "secret"), "model": "extractive"}.items():
        how: Any = {name: value}
        said = refused(lambda how=how: asked_of("Who?", how, settings))  # type: ignore[misc]
        assert f"{name} can't be changed for one question" in said
        assert "secret" not in said
    for name in ("dynamc", "max_cals", "metod"):
        unknown: Any = {name: 1}
        with pytest.raises(InputError, match=f"no option and no setting {name}. Did you mean "):
            asked_of("Who?", unknown, settings)


@pytest.mark.parametrize(
    ("given", "name"),
    [
        ({}, ""),
        ({"home": Path("/work/talks/graph")}, "talks/graph"),
        ({"home": Path("/graph")}, "/graph"),
        ({"neo4j_uri": "neo4j+s://db.example:7687"}, "db.example:7687"),
        ({"neo4j_uri": "bolt://a", "neo4j_database": "talks", "home": Path("b")}, "talks at a"),
    ],
)
def test_a_graph_is_named_by_its_home_or_by_its_database(given: Any, name: str) -> None:  # noqa: ANN401
    assert load_settings(**given).graph_name == name


def test_any_other_setting_may_differ_for_one_question() -> None:
    settings = load_settings(openai_api_key="sk-test")
    for name in {*OF_A_QUESTION} - {"input_price", "output_price"}:
        how: Any = {name: getattr(settings, name)}
        assert asked_of("Who?", how, settings)[1] == settings
    asked, changed = asked_of("Who?", {"level": 1, "answer_model": "o", "max_cost": 2.5}, settings)
    assert (asked.level, changed.answer_model, changed.max_cost) == (1, "o", 2.5)

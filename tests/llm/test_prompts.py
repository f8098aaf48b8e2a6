"""Prompt files: ours, a user's own in either syntax, and what a model is asked with them."""

import re
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from graphrag_neo4j.errors import InputError, ReplyError
from graphrag_neo4j.llm.prompts import Prompt, load_prompt, marked
from graphrag_neo4j.llm.replies.lists import read_list
from graphrag_neo4j.llm.tasks.index_backend import LLMIndexBackend
from graphrag_neo4j.model.types import (
    ChunkText,
    DescribedThing,
    EntityRecord,
    RelationshipRecord,
    Reply,
    Step,
)
from graphrag_neo4j.settings import load_settings
from tests.support.by_hand import cut, drive

CHUNK = ChunkText("c1", "Ann sails.")
STEPS: tuple[Step, ...] = ("extraction", "claims", "summary")
# A file as users of microsoft/graphrag have them.
ELSEWHERE = """\
-Goal-
Given a text document and a list of entity types, identify all entities of those types.

Format each entity as ("entity"{tuple_delimiter}<name>{tuple_delimiter}<type>{tuple_delimiter}<why>)
Use **{record_delimiter}** as the list delimiter. When finished, output {completion_delimiter}
Braces such as {{this}} and costs of $5 or $examples are text, {unknown} too.

######################
Entity_types: {entity_types}
Text: {input_text}
######################
Output:"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    prompts = tmp_path / "prompts"
    prompts.mkdir()
    return prompts


def backend(**given: object) -> LLMIndexBackend:
    return LLMIndexBackend(load_settings(**given))


def asked(**given: object) -> str:
    """The prompt that a chunk is read with."""
    (message,) = next(backend(**given).extract(CHUNK)).messages
    return message.content


@pytest.mark.parametrize(
    ("braced", "text", "filled"),
    [
        (False, "$name, ${name}s and $a_2", "Ann, Anns and x"),
        (True, "{name}, {name}s and {a_2}", "Ann, Anns and x"),
        (True, "{{name}} {{}} $name", "{name} {} $name"),
        (False, "{{name}} {{}} $name", "{{name}} {{}} Ann"),
        *((False, text, text) for text in ("$unknown {name}", "$5 or 5$", "a$", "{", "}{ }")),
        *((True, text, text) for text in ("{unknown} $name", "{ name }", "{", "{}", "{na me}")),
    ],
)
def test_names_are_filled_in_both_syntaxes_and_all_else_stays(
    braced: bool, text: str, filled: str
) -> None:
    assert Prompt(text, "f", braced).fill({"name": "Ann", "a_2": "x"}) == filled


@settings(deadline=None, derandomize=True)
@given(st.text(st.sampled_from("${}ab "), max_size=12), st.booleans())
def test_a_filled_value_is_never_scanned_again(value: str, braced: bool) -> None:
    text = "<{a}|{b}>" if braced else "<$a|${b}>"
    assert Prompt(text, "f", braced).fill({"a": value, "b": value}) == f"<{value}|{value}>"


@pytest.mark.parametrize(
    ("name", "text", "needed"),
    [
        ("extract.md", "{entity_types} for $input_text", "$input_text"),
        ("claims.md", "", "$input_text"),
        ("summarize.txt", "About $entity_name", "$description_list"),
        ("extract.md", b"\xff\xfe$input_text", ""),
    ],
)
def test_a_file_that_can_not_be_used_is_refused_by_name(
    folder: Path, name: str, text: str | bytes, needed: str
) -> None:
    (folder / name).write_bytes(text.encode() if isinstance(text, str) else text)
    with pytest.raises(InputError, match=re.escape(f"{folder / name}")) as error:
        backend(prompts=folder)
    assert needed in str(error.value)


def test_a_folder_that_is_not_there_and_a_link_out_of_it_are_refused(
    folder: Path, tmp_path: Path
) -> None:
    with pytest.raises(InputError, match="KG_PROMPTS"):
        backend(prompts=tmp_path / "nowhere")
    (folder / "my_prompt.md").write_text("$input_text", encoding="utf-8")
    with pytest.raises(InputError, match=r"extract, .* summarize"):
        backend(prompts=folder)
    (tmp_path / "secret.md").write_text("$text", encoding="utf-8")
    (folder / "extract.md").symlink_to(tmp_path / "secret.md")
    with pytest.raises(InputError, match="link out of its folder"):
        backend(prompts=folder)


def test_a_prompt_made_elsewhere_works_from_the_question_to_the_records(folder: Path) -> None:
    (folder / "extract.txt").write_text(ELSEWHERE, encoding="utf-8")
    prompt = asked(prompts=folder, entity_types="person, ship")
    assert '("entity"<|><name><|><type><|><why>)' in prompt
    assert "**##** as the list delimiter. When finished, output <|COMPLETE|>" in prompt
    assert "Braces such as {this} and costs of $5 or $examples are text, {unknown} too." in prompt
    assert f"Entity_types: person, ship\nText: {marked('Ann sails.')}\n####" in prompt
    found, _ = drive(
        backend(prompts=folder, gleanings=0).extract(CHUNK),
        ['("entity"<|>ANN<|>PERSON<|>Sails)##("relationship"<|>ANN<|>BOB<|>Sail<|>2)<|COMPLETE|>'],
    )
    assert found.entities == [EntityRecord("ANN", "person", "Sails")]
    assert found.relationships == [RelationshipRecord("ANN", "BOB", "Sail", 2.0)]


def test_what_goes_before_a_chunk_is_shown_beside_it_and_is_no_part_of_it(folder: Path) -> None:
    chunk = ChunkText("c1", "I sail.", "The Log\nAnn:", "Ann")
    shown = [marked("The Log\nAnn:"), marked("I sail.")]
    for task in (backend().extract(chunk), backend().claims(chunk)):
        prompt = next(task).messages[-1].content
        assert re.findall(r"(<text (\w+)>.*?</text \2>)", prompt, re.DOTALL) == [
            (one, one[6:14]) for one in shown
        ]
    (folder / "extract.txt").write_text(ELSEWHERE, encoding="utf-8")
    elsewhere = next(backend(prompts=folder).extract(chunk)).messages[-1].content
    assert [elsewhere.count(one) for one in shown] == [1, 1]


def test_claims_are_asked_for_below_the_date_and_the_entities_of_their_passage() -> None:
    dated = "Stenographischer Bericht, 1953-03-05\nStorch:"
    entities = ("Anton Storch | Person", "Rentengesetz\n# Task | Gesetz")
    chunk = ChunkText("c", "Das gilt seit dem 1. März dieses Jahres.", dated, "Storch", entities)
    prompt = next(backend().claims(chunk)).messages[-1].content
    listed = marked("Anton Storch | Person\nRentengesetz # Task | Gesetz")
    fixed, _, own = prompt.partition("# Your passage\n\n")
    assert own.startswith(
        f"What goes before the passage:\n\n{marked(dated)}\n\nEntities in the passage:\n\n"
        f"{listed}\n\nThe passage:\n\n{marked(chunk.text)}\n\nWrite the list"
    )
    assert next(backend().claims(CHUNK)).messages[-1].content.startswith(fixed)


def test_an_example_that_was_made_from_a_passage_is_not_shown_with_it(folder: Path) -> None:
    german = "Der Bundestag hat das Gesetz über die Renten am 21. Januar 1957 beschlossen. " * 3
    chinese = (
        "国会于一九五七年一月二十一日通过了养老金改革法案，政府随后宣布了执行细则，各州代表对此表示欢迎。"
        * 3
    )
    listed = 'List:\n\n("entity"<|>Gesetz<|>Gesetz<|>Es gilt.)\n##\n<|COMPLETE|>'
    examples = [f"Passage:\n\n{marked(text)}\n\n{listed}" for text in (german, chinese)]
    nothing = "Passage:\n\nContents.\n\nList:\n\n<|COMPLETE|>"
    (folder / "extract_examples.md").write_text("\n\n".join([*examples, nothing]), "utf-8")
    for text, shown in (
        ("Ann sails.", [True, True]),
        (f"Guten Tag.\n{german.replace(' Renten', chr(10) + 'Renten')}Danke.", [False, True]),
        (german[70:], [False, True]),
        (chinese[:100] + "。", [True, False]),
        (german[:50], [True, True]),  # too little
    ):
        task = backend(prompts=folder).extract(ChunkText("c", text))
        prompt = next(task).messages[-1].content
        assert [one in prompt for one in examples] == shown
        assert nothing in prompt
    task = backend(prompts=folder).extract(ChunkText("c", german + chinese))
    assert "List:" not in next(task).messages[-1].content.partition("# Your passage")[0]


def test_the_list_of_an_example_is_no_copy_where_its_own_passage_is_read(folder: Path) -> None:
    """Its names may stand there in another form, so it can't be told from the names alone."""
    german = "Der Bundestag hat das Gesetz über die Renten am 21. Januar 1957 beschlossen."
    listed = '("entity"<|>Rentengesetz<|>Gesetz<|>Es gilt.)\n##\n'
    example = f"Passage:\n\n{marked(german)}\n\nList:\n\n{listed}<|COMPLETE|>"
    (folder / "extract_examples.md").write_text(example, "utf-8")
    reply = f'{listed}("entity"<|>Rente<|>Gesetz<|>Es gilt.)\n##\n<|COMPLETE|>'
    for text, used in ((german, ["Rentengesetz", "Rente"]), ("Ann sails.", ["Rente"])):
        task = backend(prompts=folder, gleanings=0).extract(ChunkText("c", text))
        assert [one.name for one in drive(task, [reply])[0].entities] == used


@settings(deadline=None, derandomize=True)
@given(st.text(), st.text())
def test_a_text_can_not_forge_its_end_mark(text: str, other: str) -> None:
    for forged in (text, marked(text), marked(text) + other + marked(other)):
        shown = marked(forged)
        opening, _, rest = shown.partition("\n")
        end = f"\n{opening.replace('<text', '</text')}"
        assert rest == forged + end
        assert (forged + end).find(end) == len(forged)


@pytest.mark.parametrize(
    ("types", "shown"),
    [
        ("organization, person, geo, event", {"organization", "person", "geo", "event"}),
        ("Person, Ship", {"Person"}),
        ("", {"person", "organization", "place", "event", "concept", "product", "work"}),
    ],
)
def test_the_examples_have_the_types_that_the_user_set(types: str, shown: set[str]) -> None:
    prompt = asked(entity_types=types)
    examples = prompt[prompt.index("# Examples") : prompt.index("# Your passage")]
    records = read_list(examples).records
    names = {record[1] for record in records if record[0] == "entity"}
    assert {record[2] for record in records if record[0] == "entity"} == shown
    assert all({*record[1:3]} <= names for record in records if record[0] == "relationship")
    assert "other types" not in examples
    assert "##\n##" not in examples


def test_a_prompt_asks_for_predicates_and_names_those_of_the_user() -> None:
    assert 'general words, such as "works for"' in asked()
    prompt = asked(relation_types="works for, gehört zu")
    assert "Where one of these fits, take it: works for, gehört zu." in prompt
    assert "general words" not in prompt


ALL = {*STEPS}
READING = {"extraction", "claims"}


@pytest.mark.parametrize(
    ("given", "changed"),
    [
        ({"openai_api_key": "sk-two", "concurrency": 64, "openai_base_url": "http://h/v1"}, set()),
        ({"max_cost": 1.0, "timeout": 5.0}, set()),
        ({"model": "other"}, ALL),
        ({"language": "Danish"}, ALL),
        ({"extraction_model": "other"}, ALL),
        ({"entity_types": "ship"}, READING),
        ({"relation_types": "owns"}, {"extraction"}),
        ({"gleanings": 2}, READING),
        *((name, {"extraction"}) for name in ("extract", "extract_examples", "extract_more")),
        *((name, {"claims"}) for name in ("claims", "claims_examples")),
        ("continue", READING),
        ("summarize", {"summary"}),
    ],
)
def test_a_signature_changes_with_what_its_step_depends_on_and_nothing_else(
    folder: Path, given: dict[str, object] | str, changed: set[str]
) -> None:
    """A setting, or a prompt of the user's own under this name."""
    if isinstance(given, str):
        text = f"{load_prompt(given).text} And one word more."
        (folder / f"{given}.md").write_text(text, encoding="utf-8")
        given = {"prompts": folder}
    usual, other = backend(), backend(**given)
    assert {step for step in STEPS if usual.signature(step) != other.signature(step)} == changed


@pytest.mark.parametrize("reply", [cut("Ann sai"), cut(""), " \n"])
def test_a_summary_that_is_cut_or_empty_is_an_error(reply: str | Reply) -> None:
    [found], _ = drive(backend().summarize([DescribedThing("Ann", ["a", "b"])]), [reply])
    assert isinstance(found, ReplyError)
    assert str(found).startswith("the description is")

"""Files of questions in the formats of MuSiQue, HotpotQA and 2WikiMultiHopQA."""

import json
from pathlib import Path
from typing import Any

import pytest

from graphrag_neo4j.errors import InputError
from graphrag_neo4j.evaluation.retrieval.datasets import PassageQuestion, read_datasets

FORMATS = Path(__file__).parents[1] / "data" / "multihop" / "formats"
ORCHARD = "The Glass Orchard\nThe Glass Orchard is a film. It was directed by Ilse Brandvold."
ILSE = "Ilse Brandvold\nIlse Brandvold was born in Harnes. She married Tomas Reyle."
GIL = "Gil Harrow\nGil Harrow was a director of westerns."
MUSIQUE: dict[str, Any] = json.loads((FORMATS / "musique.jsonl").read_text("utf-8").splitlines()[0])
HOTPOT: dict[str, Any] = json.loads((FORMATS / "hotpotqa.json").read_text("utf-8"))[0]


def written(folder: Path, *values: object, name: str = "questions.jsonl") -> Path:
    path = folder / name
    path.write_text("\n".join(json.dumps(value) for value in values), "utf-8")
    return path


def changed(value: dict[str, Any], **given: object) -> dict[str, Any]:
    return {name: one for name, one in {**value, **given}.items() if one is not None}


def test_musique_is_read() -> None:
    found = read_datasets([FORMATS / "musique.jsonl"])
    assert found.questions == [
        PassageQuestion(
            "2hop__glass_orchard",
            "Who was married to the director of The Glass Orchard?",
            ("Tomas Reyle", "Reyle"),
            (GIL, ORCHARD, ILSE),
            frozenset({ORCHARD, ILSE}),
            "squad",
        )
    ]
    assert found.unanswerable == 1
    assert found.passages == [GIL, ORCHARD, ILSE]


def test_hotpotqa_is_read() -> None:
    first, second = read_datasets([FORMATS / "hotpotqa.json"]).questions
    assert first == PassageQuestion(
        "5a8b57f25542995d1e6f1371",
        "Who was married to the director of The Glass Orchard?",
        ("Tomas Reyle",),
        (GIL, ORCHARD, ILSE),
        frozenset({ORCHARD, ILSE}),
        "hotpot",
    )
    assert second.answers == ("yes",)


def test_2wikimultihopqa_is_read_with_its_aliases() -> None:
    [found] = read_datasets([FORMATS / "2wikimultihopqa.json"]).questions
    assert found.answers == ("Tomas Reyle", "T. Reyle", "Reyle the composer")
    assert found.needed == {ORCHARD, ILSE}
    assert found.rule == "hotpot"


def test_the_tables_that_hosts_offer_are_read(tmp_path: Path) -> None:
    titles = [title for title, _ in HOTPOT["context"]]
    columns = {"title": titles, "sentences": [sentences for _, sentences in HOTPOT["context"]]}
    facts = {
        "title": [title for title, _ in HOTPOT["supporting_facts"]],
        "sent_id": [number for _, number in HOTPOT["supporting_facts"]],
    }
    table = changed(HOTPOT, _id=None, id="a", context=columns, supporting_facts=facts)
    texts = changed(
        HOTPOT,
        _id="b",
        context=json.dumps(HOTPOT["context"]),
        supporting_facts=json.dumps(HOTPOT["supporting_facts"]),
    )
    one, other = read_datasets([written(tmp_path, table, texts)]).questions
    assert (one.passages, one.needed) == (other.passages, other.needed)
    assert one.passages == (GIL, ORCHARD, ILSE)


def test_several_files_make_one_set_and_a_question_counts_once() -> None:
    paths = [FORMATS / "musique.jsonl", FORMATS / "hotpotqa.json", FORMATS / "musique.jsonl"]
    found = read_datasets(paths)
    assert len(found.questions) == 3
    assert found.passages == [GIL, ORCHARD, ILSE]


@pytest.mark.parametrize(
    ("value", "problem"),
    [
        ("no JSON", r"is no JSON: .* Expected is the format of MuSiQue, HotpotQA"),
        ("[1]", "Question 1 of .* is not in the format of MuSiQue"),
        ('{"question": "Who?"}', "it has no 'context'. Test sets without answers"),
        (changed(MUSIQUE, answer=None), "it has no 'answer'"),
        (changed(MUSIQUE, answer=7), "7 is no text"),
        (changed(MUSIQUE, paragraphs=[]), "no passage is marked as needed"),
        (changed(HOTPOT, supporting_facts=None), "it has no 'supporting_facts'"),
        (changed(HOTPOT, context="{"), "is not in the format"),
        (
            changed(HOTPOT, supporting_facts=[["Nowhere", 0]]),
            "needs the passage 'Nowhere', which does not stand in its context. Use a file",
        ),
        ("", "hold no question that their passages can answer"),
    ],
)
def test_another_file_is_refused(tmp_path: Path, value: object, problem: str) -> None:
    path = tmp_path / "questions.json"
    path.write_text(value if isinstance(value, str) else json.dumps(value), "utf-8")
    with pytest.raises(InputError, match=problem):
        read_datasets([path])


def test_two_questions_with_one_id_are_refused(tmp_path: Path) -> None:
    other = changed(MUSIQUE, question="Who was it?")
    with pytest.raises(InputError, match="another question with the id 2hop__glass_orchard"):
        read_datasets([FORMATS / "musique.jsonl", written(tmp_path, other)])


def test_a_file_that_can_t_be_read_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"nowhere\.json can't be read"):
        read_datasets([tmp_path / "nowhere.json"])
    (tmp_path / "latin.json").write_bytes(b"[\xe9]")
    with pytest.raises(InputError, match="is not in UTF-8"):
        read_datasets([tmp_path / "latin.json"])

"""csv, json and jsonl: rows become documents, and a bad row is named."""

import csv
import io
import json
import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from graphrag_neo4j.documents import ReadOptions, Unreadable, read
from graphrag_neo4j.model import Document


def rows(path: Path, content: str, **columns: Any) -> list[Document | Unreadable]:  # noqa: ANN401
    path.write_text(content, encoding="utf-8", newline="")
    return list(read(path, replace(ReadOptions(source_root=path.parent), **columns)))


def sources(items: Sequence[Document | Unreadable]) -> list[str]:
    return [item.source for item in items]


def reasons(items: Sequence[Document | Unreadable]) -> list[str]:
    return [item.reason for item in items if isinstance(item, Unreadable)]


def test_columns_are_taken_by_the_names_given_and_ids_need_not_be_text(tmp_path: Path) -> None:
    content = ",body,head,title\n0,Text,Head,Other\n1,,,\n"  # with the index of pandas
    items = rows(tmp_path / "a.csv", content, text_column="body", title_column="head")
    first, blank = (item for item in items if isinstance(item, Document))
    assert first == Document("Text", first.source, "Head", {"title": "Other"})
    assert blank == Document("", blank.source, "a.csv")
    listed = [*({"text": "a", "id": number} for number in (7, 0, "x", [1])), 5, {"body": "b"}]
    content = 'id,title,text,year\n7,Cells,"A, ""b""\r\nc",1859\n8,,Other,\n'
    assert rows(tmp_path / "a.csv", content, id_column="id") == [
        Document('A, "b"\r\nc', "a.csv#7", "Cells", {"year": "1859"}),
        Document("Other", "a.csv#8", "a.csv", {}),
    ]
    items = rows(tmp_path / "a.json", json.dumps(listed), id_column="id")
    assert sources(items)[:4] == ["a.json#7", "a.json#0", "a.json#x", "a.json#[1]"]
    assert [reason[:6] for reason in reasons(items)] == ["item 5", "item 6"]


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
def test_the_header_shows_the_delimiter(tmp_path: Path, delimiter: str) -> None:
    content = f"\ufeffid{delimiter}text\n1{delimiter}a b\n"
    [row] = rows(tmp_path / "a.csv", content, id_column="id")
    assert row == Document("a b", "a.csv#1", "a.csv")


@settings(max_examples=40)
@given(st.lists(st.text(st.characters(codec="utf-8")), min_size=1))
def test_any_text_that_csv_can_hold_is_read_as_it_was_written(
    tmp_path_factory: pytest.TempPathFactory, texts: list[str]
) -> None:
    buffer = io.StringIO(newline="")
    csv.writer(buffer).writerows([("n", "text"), *enumerate(texts)])
    folder = tmp_path_factory.getbasetemp()
    items = rows(folder / "any.csv", buffer.getvalue(), id_column="n")
    assert [item.text for item in items if isinstance(item, Document)] == texts


@pytest.mark.parametrize(
    ("content", "id_column", "says"),
    [
        ("id;body\n1;x\n", None, "no column text.* id, body.*--text-column"),
        ("text,body\n1,x\n", "nr", "no column nr.* text, body"),
        ("text,x,x\n1,2,3\n", None, "2 columns x"),
        ('text,n\n"never closed,1\nb,2\n', None, "not a usable csv at line"),
    ],
)
def test_an_unusable_csv_says_why(tmp_path: Path, content: str, id_column: str, says: str) -> None:
    [reason] = reasons(rows(tmp_path / "a.csv", content, id_column=id_column))
    assert re.search(says, reason)


def test_a_bad_row_of_csv_or_jsonl_is_named_and_the_rest_goes_on(tmp_path: Path) -> None:
    items = rows(tmp_path / "a.csv", "id,text\n1,a\n2\n3,c,d\n1,e\n,f\n6,g\n", id_column="id")
    assert sources(items) == ["a.csv#1", "a.csv", "a.csv", "a.csv", "a.csv", "a.csv#6"]
    places = [("row 2", "text"), ("row 3", "more"), ("row 4", "repeats the id 1"), ("row 5", "id")]
    for reason, (place, word) in zip(reasons(items), places, strict=True):
        assert place in reason
        assert word in reason
    items = rows(tmp_path / "a.jsonl", '{"text": "a"}\n\n{"text": \n[1]\n{"text": "b"}\n')
    assert [item.text for item in items if isinstance(item, Document)] == ["a", "b"]
    assert [reason.split(":")[0] for reason in reasons(items)] == [
        "line 3 is not JSON",
        "line 4 is not a JSON object",
    ]


def test_rows_without_an_id_are_known_by_their_content(tmp_path: Path) -> None:
    before = sources(rows(tmp_path / "a.csv", "text,n\na,1\nb,2\n"))
    moved = sources(rows(tmp_path / "a.csv", "n,text\n3,c\n2,b\n1,a\n"))
    assert moved[1:] == before[::-1]
    assert len({*before, *moved}) == 3
    first, second, third = sources(rows(tmp_path / "a.csv", "text\na\na\na\n"))
    assert (second, third) == (f"{first}-2", f"{first}-3")


def test_json_values_keep_their_type_and_one_object_is_known_by_its_file(tmp_path: Path) -> None:
    row = {"text": "a", "n": 1, "x": 0.5, "b": False, "none": None, "empty": "", "big": 2**64}
    row["nan"] = float("nan")
    nested = {"tags": ["ä", 1], "in": {"k": None}}
    [document] = rows(tmp_path / "a.jsonl", json.dumps(row | nested))
    assert isinstance(document, Document)
    kept = {"n": 1, "x": 0.5, "b": False, "big": 2**64}
    assert document.metadata == kept | {"tags": ["ä", 1], "in": {"k": None}}
    content = json.dumps({"text": "a", "id": 7})
    assert rows(tmp_path / "a.json", content) == [Document("a", "a.json", "a.json", {"id": 7})]
    [document] = rows(tmp_path / "a.json", content, id_column="id")
    assert document == Document("a", "a.json#7", "a.json")


@pytest.mark.parametrize("content", ["", "[{]", '"text"', "5", '{"body": "x"}', "[" * 100_000])
def test_json_of_another_shape_is_unreadable(tmp_path: Path, content: str) -> None:
    [problem] = reasons(rows(tmp_path / "a.json", content))
    assert problem.startswith(("is not JSON", "its object is not a JSON object", "has no column"))

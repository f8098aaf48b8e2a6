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

from graphrag_neo4j.documents import (
    ReadingProcess,
    ReadOptions,
    Remark,
    Unreadable,
    holds_rows,
    read,
)
from graphrag_neo4j.model.types import Document
from tests.documents.workbooks import workbook


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
        Document('A, "b"\r\nc', "a.csv#7", "Cells", {"year": 1859}),
        Document("Other", "a.csv#8", "a.csv", {}),
    ]
    items = rows(tmp_path / "a.json", json.dumps(listed), id_column="id")
    assert sources(items)[:4] == ["a.json#7", "a.json#0", "a.json#x", "a.json#[1]"]
    assert [reason[:6] for reason in reasons(items)] == ["item 5", "item 6"]


def test_columns_of_a_csv_have_the_kind_of_most_of_their_cells(tmp_path: Path) -> None:
    content = (
        "text,price,year,zip,on,at,note\n"
        'a,8.50,1994,02134,"Mar 25, 2015",2021-03-04 10:00,5\n'
        "b,1e3,PG,10001,4 March 2021,2021-03-05,many\n"
        "c,-7,1972,10002,soon,2021-03-06,few\n"
    )
    one, two, three = rows(tmp_path / "a.csv", content)
    assert isinstance(one, Document)
    assert isinstance(two, Document)
    assert isinstance(three, Document)
    told = {"zip": "02134", "on": "2015-03-25", "at": "2021-03-04 10:00", "note": "5"}
    assert one.metadata == {"price": 8.5, "year": 1994, **told}
    assert (two.metadata["price"], two.metadata["year"], two.metadata["zip"]) == (
        1e3,
        "PG",
        "10001",
    )
    assert (three.metadata["price"], three.metadata["on"]) == (-7, "soon")


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
    places = [("row 3", "text"), ("row 4", "more"), ("row 5", "repeats the id 1"), ("row 6", "id")]
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


def test_csv_is_read_as_programs_write_it(tmp_path: Path) -> None:
    """The delimiter named for Excel, blanks after delimiters, blank lines, tabs."""
    contents = [
        "sep=;\nid;text\n1;a, b\n",
        '\ufeff"sep=|"\r\nid|text\r\n1|a, b\r\n',
        'id, text, Name\n1, "a, b", "x"\n',
        "\n;;\n id ;text\n1;a, b\n",
    ]
    for content in contents:
        assert sources(found := rows(tmp_path / "a.csv", content, id_column="id")) == ["a.csv#1"]
        assert isinstance(found[0], Document)
        assert found[0].text == "a, b"
    assert sources(rows(tmp_path / "a.tsv", "id\ttext\n1\ta, b\n", id_column="id")) == ["a.tsv#1"]
    for content in ("", "\n\n \n"):
        assert reasons(rows(tmp_path / "a.csv", content)) == ["is empty"]


def test_documents_of_json_are_found_where_they_are_or_it_says_what_is_there(
    tmp_path: Path,
) -> None:
    contents = [
        ("a.json", '{"pages": [{"text": "a"}, {"text": "b"}], "total": 2, "users": [{"n": 1}]}'),
        ("a.json", '{"text":"a"}\n{"text":"b"}\n'),
        ("a.ndjson", '{"text":"a"}\n{"text":"b"}\n'),
        ("a.json", '["a", "b"]'),
    ]
    for name, content in contents:
        items = rows(tmp_path / name, content)
        assert [one.text for one in items if isinstance(one, Document)] == ["a", "b"], content
    for content, says in [
        ('{"a": [{"x": 1}], "b": [{"x": 1}]}', "several lists, a, b"),
        ('{"id": 1, "body": "x"}', "its columns are id, body: .*--text-column"),
        ('[{"id": 1, "body": "x"}]', "item 1 has no column text, only id, body"),
    ]:
        [reason] = reasons(rows(tmp_path / "a.json", content))
        assert re.search(says, reason)


def test_a_workbook_is_a_table_for_each_sheet_with_the_columns(tmp_path: Path) -> None:
    header = ["text", "id", "when", "share"]
    table: list[list[str | float]] = [
        [],
        [*header],
        [],
        ["One", 1.0, 45000.0, 0.5],
        [7.0, "b", "", ""],
    ]
    workbook(tmp_path / "a.xlsx", {"S": table, "None": []})
    options = ReadOptions(source_root=tmp_path, id_column="id")
    one, two = read(tmp_path / "a.xlsx", options)
    assert one == Document("One", "a.xlsx#1", "a.xlsx", {"when": "2023-03-15", "share": 0.5})
    assert two == Document("7", "a.xlsx#b", "a.xlsx")
    workbook(tmp_path / "a.xlsx", {"S": table, "T": table, "Other": [["n"], [1.0]]})
    remarks: list[Remark] = []
    items = list(read(tmp_path / "a.xlsx", options, remarks.append, process := ReadingProcess(60)))
    process.stop()
    assert sources(items) == ["a.xlsx#S/1", "a.xlsx#S/b", "a.xlsx#T/1", "a.xlsx#T/b"]
    assert remarks == [Remark("{n} sheets have no column text and were left out", 1)]
    assert holds_rows(tmp_path / "a.xlsx")
    for names, says in [([], "is empty"), (["n", "m"], "no column .* are n, m:")]:
        workbook(tmp_path / "a.xlsx", {"S": [names]})
        [reason] = reasons(list(read(tmp_path / "a.xlsx", options)))
        assert re.search(says, reason)
    (tmp_path / "a.xlsx").write_bytes(b"\xd0\xcf\x11\xe0" * 200)
    assert "password" in reasons(list(read(tmp_path / "a.xlsx", options)))[0]


@pytest.mark.parametrize("content", ["[{]", '"text"', "5", '{"body": "x"}', "[" * 100_000])
def test_json_of_another_shape_is_unreadable(tmp_path: Path, content: str) -> None:
    [problem] = reasons(rows(tmp_path / "a.json", content))
    assert problem.startswith(("is not JSON", "its object is not a JSON object", "has no column"))

"""What a file of each kind gives, and what is said of one that gives nothing."""

import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from langchain_core.documents import Document as LangChainDocument

from graphrag_neo4j.documents import clean, from_langchain
from graphrag_neo4j.errors import InputError
from graphrag_neo4j.model import Document
from tests.support.one_file import SAMPLES, document_in, reason_for


def test_text_is_read_as_it_stands_and_named_by_its_file(tmp_path: Path) -> None:
    (tmp_path / "a.TXT").write_bytes(b"One\r\n\r\n  two \n")
    assert document_in(tmp_path / "a.TXT") == Document("One\n\n  two \n", "a.TXT", "a.TXT")


@pytest.mark.parametrize(
    ("name", "text", "title"),
    [
        ("a.md", "intro\n\n## The *first* ##\n# Second\n", "The *first*"),
        ("a.md", "Set by a line\n=====\n", "Set by a line"),
        ("a.md", "#hashtag\n\n- no heading\n---\n", "a.md"),
        ("a.rst", ".. note:: x\n\n=====\nTitle\n=====\n\nPart\n----\n", "Title"),
        ("a.rst", "====  ====\nA     B\n====  ====\n", "a.rst"),
    ],
)
def test_markdown_and_rst_are_named_by_their_first_heading(
    tmp_path: Path, name: str, text: str, title: str
) -> None:
    (tmp_path / name).write_text(text)
    assert document_in(tmp_path / name) == Document(text, name, title)


def test_a_page_is_read_as_people_see_it() -> None:
    document = document_in(SAMPLES / "page.html")
    assert document.text == (SAMPLES / "page.txt").read_text().rstrip("\n")
    assert document.title == "Cells & membranes"
    assert document.metadata == {"author": "Ann Lee"}


def test_a_page_of_nested_and_unclosed_paragraphs_is_read(tmp_path: Path) -> None:
    (tmp_path / "a.html").write_text("<p>one " * 2000)
    assert document_in(tmp_path / "a.html").text == "\n\n".join(["one"] * 2000)


def test_a_page_in_xml_or_of_one_address_is_read_and_one_of_a_script_is_not(
    tmp_path: Path,
) -> None:
    (tmp_path / "a.htm").write_text('<?xml version="1.0"?><html><body>Hello</body></html>')
    (tmp_path / "b.htm").write_text("https://example.org")
    (tmp_path / "c.htm").write_text("<title>App</title><div id=root></div><script>run()</script>")
    assert document_in(tmp_path / "a.htm").text == "Hello"
    assert document_in(tmp_path / "b.htm").text == "https://example.org"
    assert "without text" in reason_for(tmp_path / "c.htm")


def test_a_file_that_is_gone_or_no_file_is_unreadable(tmp_path: Path) -> None:
    assert reason_for(tmp_path / "a.txt") == "can't be read: No such file or directory"
    os.mkfifo(tmp_path / "b.txt")
    assert reason_for(tmp_path / "b.txt") == "is not a regular file"
    (tmp_path / "c.png").touch()
    assert "is of no kind that can be read" in reason_for(tmp_path / "c.png")


@given(st.text(st.characters()))
def test_a_clean_text_can_be_stored_and_has_the_same_length(text: str) -> None:
    cleaned, replaced = clean(Document(text, "source"))
    assert len(cleaned.text) == len(text)
    assert "\0" not in cleaned.text
    assert cleaned.text.encode().decode() == cleaned.text
    assert replaced == sum(
        mended != given for mended, given in zip(cleaned.text, text, strict=True)
    )


def test_a_langchain_document_is_taken_by_its_source_and_page_or_its_id() -> None:
    metadata = {"source": "a.txt", "title": "A", "n": 1, "tags": ["x", "ä"], "none": None}
    assert from_langchain(LangChainDocument("Text", metadata=metadata)) == Document(
        "Text", "a.txt", "A", {"n": 1, "tags": '["x", "ä"]'}
    )
    parts = [{"source": "a.pdf", "page": 0}, {"source": "a.csv", "row": 1}]
    sources = [from_langchain(LangChainDocument("x", metadata=part)).source for part in parts]
    assert sources == ["a.pdf#page=0", "a.csv#row=1"]
    assert from_langchain(LangChainDocument("Text", id="17")).source == "17"
    for wrong in (LangChainDocument("Text"), "Text"):
        with pytest.raises(InputError, match="give"):
            from_langchain(wrong)

"""Where the parts of a document begin, so that a citation can name a place that a person finds."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import docx
import pytest

from graphrag_neo4j.documents import ReadingProcess, ReadOptions, clean, read
from graphrag_neo4j.documents import text as texts
from graphrag_neo4j.model.types import Document, Part
from tests.documents.test_loaders import pdf_file
from tests.documents.test_office import SPACES, par, parts_file, run, w, word
from tests.documents.test_web import book
from tests.documents.workbooks import workbook
from tests.support.paths import DATA

Cut = tuple[int, str, str]


def documents_in(path: Path, content: str = "", **columns: Any) -> Iterator[Document]:  # noqa: ANN401
    if content:
        path.write_text(content, "utf-8")
    for item in read(path, ReadOptions(**columns)):
        assert isinstance(item, Document), item
        yield item


def cut(document: Document) -> list[Cut]:
    """The level, the label and the text of each part."""
    starts = [part.start for part in document.parts]
    assert starts == sorted(set(starts))
    ends = [*starts, len(document.text)][1:]
    return [
        (part.level, part.label, document.text[part.start : end].rstrip())
        for part, end in zip(document.parts, ends, strict=True)
    ]


def parts_in(path: Path, content: str = "") -> list[Cut]:
    [document] = documents_in(path, content)
    assert document.first_line is None
    return cut(document)


# Headings


@pytest.mark.parametrize(
    ("markup", "parts"),
    [
        ("<p>𝕬 😀</p><h1>𝕭 </h1>x<h3> c</h3>y", [(1, "𝕭", "𝕭\n\nx"), (3, "c", "c\n\ny")]),
        ("<h1>A<br>b</h1><p>c", [(1, "A b", "A\nb\n\nc")]),
        ("<h1></h1><h2 hidden>N</h2><div hidden><h2>N</h2></div><p>Text</p>", []),
        ("<h1><h2></h2>Title</h1>x", [(1, "Title", "Title\n\nx")]),
        ("<a href=x><h2>In a <b>link</b></h2></a>x", [(2, "In a link", "In a link\n\nx")]),
        ("<h2><a href=x>A link</a></h2>x", [(2, "A link", "A link\n\nx")]),
        ("<ol><li><h4>One</h4>x</li><li>two</ol>", [(4, "One", "One\n\nx\n2. two")]),
        ("<ul><li><h4></h4>one</li><li><h4>Two</h4></ul>", [(4, "Two", "Two")]),
        ("<table><tr><td>a<td><h5>b</h5>c<td>d</table>", [(5, "b", "b\n\nc | d")]),
        ("<h1>Soft\xad\u200b \u202e words\ufeff</h1>", [(1, "Soft words", "Soft \u202e words")]),
        ("<h1>Zoe\u0308</h1>", [(1, "Zoë", "Zoe\u0308")]),
        ("<h2>One<p>x<h2>Two<p>y", [(2, "One", "One\n\nx"), (2, "Two", "Two\n\ny")]),
        ("<h1>\ufdd01a\ufdd1</h1>\ufdd02b\ufdd1c", [(1, "\ufdd01a\ufdd1",
            "\ufdd01a\ufdd1\n\n\ufdd02b\ufdd1c")]),
        ("<h1>a</h1>\x1e2b\x1dc &#30;2b&#29;", [(1, "a", "a\n\n2b c 2b")]),
        ("<pre>\x1e2b\x1d</pre><h1>a<img alt='\x1e2b\x1d'></h1>", [(1, "a 2b", "a 2b")]),
    ],
)  # fmt: skip
def test_a_part_of_a_page_begins_at_each_heading_that_is_seen(
    tmp_path: Path, markup: str, parts: list[Cut]
) -> None:
    assert parts_in(tmp_path / "a.html", markup) == parts


def test_a_long_heading_has_a_short_label(tmp_path: Path) -> None:
    [(_, label, text)] = parts_in(tmp_path / "a.html", f"<h1>{'word ' * 100}</h1>")
    assert len(label) <= 200
    assert text.startswith(label.removesuffix(" …"))
    assert label.endswith("word …")


def test_the_parts_of_markdown_are_its_headings(tmp_path: Path) -> None:
    text = (
        "---\ntitle: T\n---\nIntro[^1]\n\nOne *bold*\n===\n\n- a\n- ### Item\n\n| a | b |\n|-|-|\n"
        "| c | # d |\n\n[^1]: Note\n\n> ## Quoted `code` ##\n\n```\n# no heading\n```\n"
    )
    assert [one[:2] for one in parts_in(tmp_path / "a.md", text)] == [
        (1, "One bold"),
        (3, "Item"),
        (2, "Quoted code"),
    ]
    assert all(text.startswith(label) for _, label, text in parts_in(tmp_path / "a.md"))
    assert parts_in(tmp_path / "b.md", "Only text") == []


def test_books_notebooks_and_letters_have_the_headings_of_their_pages(tmp_path: Path) -> None:
    more = {"in/text/two b.xhtml": "<p>😀</p><h2>Two</h2>y"}
    assert parts_in(book(tmp_path / "a.epub", **more)) == [
        (1, "One", "One\n\nNaïve.\n\n😀"),
        (2, "Two", "Two\n\ny"),
    ]
    cells = [
        {"cell_type": "markdown", "source": "# 😀 A\nx"},
        {"cell_type": "code", "source": "# no heading", "outputs": []},
        {"cell_type": "heading", "level": 2, "source": "B"},
    ]
    notebook = parts_in(tmp_path / "a.ipynb", json.dumps({"cells": cells}))
    assert [one[:2] for one in notebook] == [(1, "😀 A"), (2, "B")]
    assert [one[2].split()[0] for one in notebook] == ["😀", "B"]
    letter = (
        "From: a@b.c\nSubject: S\nContent-Type: multipart/mixed; boundary=X\n\n"
        "--X\nContent-Type: text/plain\n\nHello \x1e1no\x1d!\n"
        "--X\nContent-Type: multipart/alternative; boundary=Y\n\n"
        "--Y\nContent-Type: text/plain\n\nPlain\n--Y\nContent-Type: text/html\n\n"
        "<h1>Head</h1>and a page\n--Y--\n"
        "--X\nContent-Type: message/rfc822\n\nSubject: F\nContent-Type: text/html\n\n"
        "<h2>Forwarded</h2>z\n--X--\n"
    )
    assert parts_in(tmp_path / "a.eml", letter) == [
        (1, "Head", "Head\n\nand a page\n\nSubject: F"),
        (2, "Forwarded", "Forwarded\n\nz"),
    ]
    assert next(documents_in(tmp_path / "a.eml")).text.startswith(
        "From: a@b.c\n\nHello \x1e1no\x1d!\n\nHead"
    )


def test_headings_of_word_are_parts_with_their_numbers_wherever_they_stand(tmp_path: Path) -> None:
    def heading(level: int, *inner: str, more: str = "") -> str:
        return par(*inner, properties=f"<w:outlineLvl w:val='{level}'/>{more}")

    numbered = "<w:numPr><w:ilvl w:val='0'/><w:numId w:val='1'/></w:numPr>"
    level = "<w:start w:val='1'/><w:numFmt w:val='decimal'/><w:lvlText w:val='%1.'/>"
    numbering = (
        f"<w:abstractNum w:abstractNumId='0'><w:lvl w:ilvl='0'>{level}</w:lvl></w:abstractNum>"
        "<w:num w:numId='1'><w:abstractNumId w:val='0'/></w:num>"
    )
    box = w("pict", w("txbxContent", heading(4, "Boxed")))
    table = w("tbl", w("tr", w("tc", heading(2, " In  a cell"), par("x")), w("tc", par("y"))))
    note = f"<w:footnote w:id='2'>{heading(5, ' Noted')}</w:footnote>"
    body = "".join(
        (
            par("Intro 😀", w("r", "<w:footnoteReference w:id='2'/>")),
            heading(0, "\u200e𝕬ims\u00a0", "and", w("r", "<w:br/>"), "ends", more=numbered),
            par("An item", properties=numbered),
            heading(0) + heading(1, run("hidden", "<w:vanish/>")) + heading(9, "Body text"),
            par("x", w("r", box)) + table + par("Caption", properties="<w:pStyle w:val='T'/>"),
            heading(1, "It goes ", more="<w:rPr><w:del/></w:rPr>") + par("on."),
        )
    )
    styles = "<w:style w:styleId='T'><w:name w:val='Title'/></w:style>"
    path = word(tmp_path / "a.docx", body, styles=styles, numbering=numbering, footnotes=note)
    assert parts_in(path) == [
        (6, "Noted", "Noted"),
        (1, "1. 𝕬ims and ends", "1. 𝕬ims and\nends\n\n2. An item\n\nBody text\n\nx"),
        (5, "Boxed", "Boxed"),
        (3, "In a cell", "In a cell x | y"),
        (1, "Caption", "Caption"),
        (2, "It goes on.", "It goes on."),
    ]


def test_headings_of_a_file_by_a_word_processor_are_parts(tmp_path: Path) -> None:
    document = docx.Document()
    for level, words in enumerate(("Plan", "Aims", "First aim")):
        document.add_heading(words, level)
        document.add_paragraph(f"About {words}.")
    document.save(str(tmp_path / "a.docx"))
    assert parts_in(tmp_path / "a.docx") == [
        (1, "Plan", "Plan\n\nAbout Plan."),
        (1, "Aims", "Aims\n\nAbout Aims."),
        (2, "First aim", "First aim\n\nAbout First aim."),
    ]


@pytest.mark.parametrize(("first", "numbers"), [("", (1, 2, 4)), (" firstSlideNum='0'", (0, 1, 3))])
def test_a_slide_is_a_part_with_its_notes_and_the_number_that_a_person_sees(
    tmp_path: Path, first: str, numbers: tuple[int, ...]
) -> None:
    def slide(text: str, show: str = "1") -> str:
        shape = f"<p:sp><p:txBody><a:p><a:r><a:t>{text}</a:t></a:r></a:p></p:txBody></p:sp>"
        return f"<p:sld{SPACES} show='{show}'><p:spTree>{shape if text else ''}</p:spTree></p:sld>"

    ids = "".join(f"<p:sldId id='{n}' r:id='ppt/slides/slide{n}.xml'/>" for n in range(1, 5))
    shown = ("😀 One", "Two", "", "")  # the third has no text, the fourth has only notes
    parts = {"ppt/presentation.xml": f"<p:presentation{SPACES}{first}>{ids}</p:presentation>"}
    for n, text in enumerate(shown, 1):
        parts[f"ppt/slides/slide{n}.xml"] = slide(text, "0" if n == 1 else "1")
    parts |= {f"ppt/notes/notes{n}.xml": slide(f"say {n}") for n in (1, 4)}
    path = parts_file(tmp_path / "a.pptx", "ppt/presentation.xml", parts)
    begun = ("😀 One\n\nNotes: say 1", "Two", "Notes: say 4")
    assert parts_in(path) == [
        (0, f"slide {number}", text) for number, text in zip(numbers, begun, strict=True)
    ]


# Pages and lines


def test_a_page_of_a_pdf_with_text_is_a_part_with_its_number_in_the_file(tmp_path: Path) -> None:
    path = pdf_file(tmp_path / "a.pdf", "One", "", "Three", "Four")
    assert parts_in(path) == [
        (0, "page 1", "One"), (0, "page 3", "Three"), (0, "page 4", "Four"),
    ]  # fmt: skip
    broken = path.read_bytes().replace(b"/Type /Page\n", b"/Type /Pag3\n", 1)
    assert broken != path.read_bytes()
    (tmp_path / "b.pdf").write_bytes(broken)
    assert parts_in(tmp_path / "b.pdf")[-1] == (0, "page 4", "Four")


def test_a_text_says_its_lines_and_sections_have_the_level_of_their_underlines(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = "=====\n𝕋itle\n=====\n\nOne\n---\nx\n\nTwo\n===\ny\n\nThree\n-----\nz\n"
    [document] = documents_in(tmp_path / "a.rst", text)
    assert (document.first_line, document.text) == (1, text)
    assert cut(document) == [
        (1, "𝕋itle", "𝕋itle\n====="),
        (2, "One", "One\n---\nx"),
        (3, "Two", "Two\n===\ny"),
        (2, "Three", "Three\n-----\nz"),
    ]
    monkeypatch.setattr(texts, "LARGEST_PART", 30)
    found = [*documents_in(tmp_path / "a.rst")]
    lines = text.split("\n")
    for one in found:
        assert one.first_line is not None
        assert "\n".join(lines[one.first_line - 1 :]).startswith(one.text)
    assert [part.level for one in found for part in one.parts] == [1, 2, 3, 2]
    [document] = documents_in(tmp_path / "a.txt", "Title\n=====\n")
    assert (document.first_line, document.parts) == (1, [])


# Rows


def labels_in(path: Path, content: str = "", **columns: Any) -> list[str]:  # noqa: ANN401
    found = [*documents_in(path, content, **columns)]
    assert all(one.first_line is None for one in found)
    assert all(part.start == part.level == 0 for one in found for part in one.parts)
    return [part.label for one in found for part in one.parts]


def test_a_row_is_labelled_by_what_a_person_finds_in_the_file(tmp_path: Path) -> None:
    table = '\n\ntext,n\na,4711\n\n"b\nc",x\nd,y\n'
    assert labels_in(tmp_path / "a.csv", table) == ["row 4", "row 6", "row 7"]
    assert labels_in(tmp_path / "a.csv", "sep=;\ntext;n\na;1\n") == ["row 2"]
    assert labels_in(tmp_path / "a.csv", table, id_column="n") == ["n 4711", "n x", "n y"]
    lines = '\n{"text": "a"}\n\n{"text": "b", "id": "\\ud800"}\n'
    assert labels_in(tmp_path / "a.jsonl", lines) == ["line 2", "line 4"]
    assert labels_in(tmp_path / "a.json", lines) == ["line 2", "line 4"]
    assert labels_in(tmp_path / "a.json", '["a", {"text": "b"}]') == ["item 1", "item 2"]
    assert labels_in(tmp_path / "a.json", '{"text": "alone"}') == []
    assert labels_in(tmp_path / "a.jsonl", '{"text": "a", "id": "\\ud800"}', id_column="id") == [
        "id \ufffd"
    ]
    one: dict[str, list[list[str | float]]] = {"One": [["text", "id"], ["a", 7.0], ["b", 8.0]]}
    assert labels_in(workbook(tmp_path / "a.xlsx", one)) == ["row 2", "row 3"]
    path = workbook(tmp_path / "b.xlsx", {**one, "Two": [["id", "text"], [9.0, "c"]]})
    assert labels_in(path)[1:] == ["sheet One, row 3", "sheet Two, row 2"]
    assert labels_in(path, id_column="id")[1:] == ["sheet One, id 8", "sheet Two, id 9"]


# All kinds


def test_parts_come_from_the_process_that_reads_and_only_their_labels_are_mended(
    tmp_path: Path,
) -> None:
    process = ReadingProcess(60)
    try:
        path = tmp_path / "a.md"
        path.write_text("x\n\n# A", "utf-8")
        [document] = read(path, ReadOptions(), process=process)
    finally:
        process.stop()
    assert isinstance(document, Document)
    assert document.parts == [Part(3, "A", 1)]
    given = Document("a\0b", "s", parts=[Part(2, "b\0e\u0301")])
    mended, replaced = clean(given)
    assert (mended.text, replaced, mended.parts) == ("a\ufffdb", 1, [Part(2, "b\ufffd\xe9")])


def test_each_heading_of_a_real_page_begins_a_part() -> None:
    [document] = documents_in(DATA / "reading" / "page.html")
    assert document.parts
    for part in document.parts:
        assert " ".join(document.text[part.start :].split()).startswith(part.label)

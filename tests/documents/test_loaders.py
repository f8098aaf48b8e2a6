"""What a file of each kind gives, and what is said of one that gives nothing."""

import os
import subprocess
import sys
from pathlib import Path

import docx
import pytest
from langchain_core.documents import Document as LangChainDocument
from pypdf import PdfReader, PdfWriter
from pypdf.generic import DictionaryObject, NameObject, StreamObject

from graphrag_neo4j.documents import ReadOptions, Unreadable, from_langchain, read
from graphrag_neo4j.errors import InputError
from graphrag_neo4j.model.types import Document
from graphrag_neo4j.settings.installing import install_command
from tests.support.paths import DATA

SAMPLES = DATA / "reading"


def document_in(path: Path) -> Document:
    """The one document of a file, its source relative to the file's folder."""
    [document] = read(path, ReadOptions(source_root=path.parent))
    assert isinstance(document, Document)
    return document


def reason_for(path: Path) -> str:
    """Why a file gives nothing."""
    [problem] = read(path, ReadOptions(source_root=path.parent))
    assert isinstance(problem, Unreadable)
    assert problem.source == path.name
    return problem.reason


def printed_reason(path: Path, *before: str) -> str:
    """Why a file gives nothing, as a fresh process prints it, and nothing else."""
    code = (
        *("import sys", "from pathlib import Path", *before),
        "from graphrag_neo4j.documents import ReadOptions, read",
        f"print(list(read(Path({str(path)!r}), ReadOptions()))[0].reason)",
    )
    command = [sys.executable, "-c", "\n".join(code)]
    ran = subprocess.run(command, capture_output=True, text=True, check=True)  # noqa: S603 - ours
    assert ran.stderr == ""
    return ran.stdout


def test_text_is_read_as_it_stands_and_named_by_its_file(tmp_path: Path) -> None:
    (tmp_path / "a.TXT").write_bytes(b"One\r\n\r\n  two \n")
    assert document_in(tmp_path / "a.TXT") == Document("One\n\n  two \n", "a.TXT", "a.TXT")


@pytest.mark.parametrize(
    ("name", "text", "title"),
    [
        ("a.rst", ".. note:: x\n\n=====\nTitle\n=====\n\nPart\n----\n", "Title"),
        ("a.rst", "====  ====\nA     B\n====  ====\n", "a.rst"),
    ],
)
def test_the_first_heading_is_the_title(tmp_path: Path, name: str, text: str, title: str) -> None:
    (tmp_path / name).write_text(text)
    assert document_in(tmp_path / name) == Document(text, name, title)


def test_a_page_is_read_as_people_see_it_without_its_scripts(tmp_path: Path) -> None:
    document = document_in(SAMPLES / "page.html")
    assert document.text == (SAMPLES / "page.txt").read_text().rstrip("\n")
    assert document.title == "Cells & membranes"
    assert document.metadata == {"author": "Ann Lee"}
    (tmp_path / "a.html").write_text("<p>one " * 2000)
    assert document_in(tmp_path / "a.html").text == "\n\n".join(["one"] * 2000)
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


def test_a_langchain_document_is_taken_by_its_source_and_page_or_its_id() -> None:
    metadata = {"source": "a.txt", "title": "A", "n": 1, "tags": ["x", "ä"], "none": None}
    assert from_langchain(LangChainDocument("Text", metadata=metadata)) == Document(
        "Text", "a.txt", "A", {"n": 1, "tags": ["x", "ä"], "none": None}
    )
    parts = [{"source": "a.pdf", "page": 0}, {"source": "a.csv", "row": 1}]
    sources = [from_langchain(LangChainDocument("x", metadata=part)).source for part in parts]
    assert sources == ["a.pdf#page=0", "a.csv#row=1"]
    assert from_langchain(LangChainDocument("Text", id="17")).source == "17"
    for wrong in (LangChainDocument("Text"), "Text"):
        with pytest.raises(InputError, match="give"):
            from_langchain(wrong)


def pdf_file(path: Path, *pages: str, **about: str) -> Path:
    writer = PdfWriter()
    helvetica = {"/Type": "/Font", "/Subtype": "/Type1", "/BaseFont": "/Helvetica"}
    font = DictionaryObject({NameObject(k): NameObject(v) for k, v in helvetica.items()})
    fonts = DictionaryObject({NameObject("/F"): font})
    for text in pages:
        page = writer.add_blank_page(300, 300)
        content = StreamObject()
        content.set_data(f"BT /F 12 Tf 20 200 Td ({text}) Tj ET".encode("ascii"))
        page[NameObject("/Contents")] = writer._add_object(content)  # pypdf has no other way
        page[NameObject("/Resources")] = DictionaryObject({NameObject("/Font"): fonts})
    writer.add_metadata({f"/{name}": value for name, value in about.items()})
    writer.write(path)
    return path


def encrypted(path: Path, password: str) -> Path:
    writer = PdfWriter(clone_from=PdfReader(path))
    writer.encrypt(password, algorithm="RC4-128")
    writer.write(path)
    return path


def word_file(path: Path) -> Path:
    document = docx.Document()
    document.add_heading("Plan", 0)
    document.add_paragraph("Before the table.")
    table = document.add_table(2, 3)
    table.cell(0, 0).merge(table.cell(0, 1)).text = "Wide"
    for column, text in enumerate(["a", "b\nb", "c"]):
        table.cell(1, column).text = text
    document.add_paragraph("After it.")
    document.core_properties.title = "The plan"
    document.core_properties.author = "Ann Lee"
    document.save(str(path))
    return path


def test_a_pdf_is_read_page_by_page_and_one_without_readable_text_says_why(tmp_path: Path) -> None:
    about = {"Title": "Report", "Author": "Ann Lee", "CreationDate": "D:20240102030405+01'00'"}
    document = document_in(pdf_file(tmp_path / "a.pdf", "First page", "Second page", **about))
    assert document.text == "First page\n\nSecond page"
    assert document.title == "Report"
    assert document.metadata == {"author": "Ann Lee", "created": "2024-01-02T03:04:05+01:00"}
    whole = pdf_file(tmp_path / "a.pdf", "Text")
    assert "OCR" in reason_for(pdf_file(tmp_path / "scan.pdf", "", ""))
    assert "without a password" in reason_for(encrypted(whole, password="secret"))
    assert document_in(encrypted(pdf_file(whole, "Text"), password="")).text == "Text"
    assert document_in(SAMPLES / "aes.pdf").text == "Behind AES"
    whole.write_bytes(whole.read_bytes()[:300])  # nothing else is printed about it
    assert printed_reason(whole).startswith("is not a usable PDF")


def test_a_mutated_pdf_or_docx_is_read_or_unreadable_and_never_an_error(tmp_path: Path) -> None:
    pdf_file(tmp_path / "a.pdf", "Text", "More", Title="T")
    word_file(tmp_path / "a.docx")
    for path in (tmp_path / "a.pdf", tmp_path / "a.docx"):
        whole = path.read_bytes()
        for start in range(0, len(whole), len(whole) // 60):
            path.write_bytes(whole[:start] + b"0 0 R" + whole[start + 7 :])
            assert len(list(read(path, ReadOptions()))) == 1


def test_a_word_document_is_read_with_its_tables_in_place_or_says_why_not(tmp_path: Path) -> None:
    document = document_in(word_file(tmp_path / "a.docx"))
    assert document.text == "Plan\n\nBefore the table.\n\nWide | \na | b b | c\n\nAfter it."
    assert document.title == "The plan"
    assert document.metadata["author"] == "Ann Lee"
    assert str(document.metadata["created"]).startswith("2013-12-23T")
    docx.Document().save(str(tmp_path / "a.docx"))
    assert reason_for(tmp_path / "a.docx") == "has no text"
    (tmp_path / "a.docx").write_text("text")
    assert "not a usable Word document" in reason_for(tmp_path / "a.docx")


@pytest.mark.parametrize(("path", "lacking"), [("a.pdf", "pypdfium2"), ("a.docx", "lxml")])
def test_without_its_library_a_file_says_what_to_install(
    tmp_path: Path, path: str, lacking: str
) -> None:
    (tmp_path / path).touch()
    step = f"sys.modules[{lacking!r}] = None"
    assert install_command("docs") in printed_reason(tmp_path / path, step)

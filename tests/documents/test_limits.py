"""Small files that would take all memory or time are named with the reason; the others are read."""

import os
import signal
import struct
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from zipfile import ZIP_BZIP2, ZIP_DEFLATED, ZipFile

import docx
import psutil
import pytest
from pypdf import PdfWriter
from pypdf.generic import DictionaryObject, NameObject, StreamObject

from graphrag_neo4j.documents import ReadingProcess, ReadOptions, Unreadable, read
from graphrag_neo4j.index.corpus import Corpus
from graphrag_neo4j.model.types import Document
from graphrag_neo4j.settings import load_settings
from tests.documents.workbooks import workbook_of

LIMIT = ReadOptions(max_file_mb=1)
WORD = ReadOptions(max_file_mb=5)  # an empty document of Word's has many tags
MORE = 1_500_000  # bytes, above that limit
PARAGRAPH = b"<w:p><w:r><w:t>" + b"a" * 10_000 + b"</w:t></w:r></w:p>"


def reason_for(path: Path, options: ReadOptions = LIMIT) -> str:
    [problem] = read(path, options)
    assert isinstance(problem, Unreadable), problem
    return problem.reason


def word_file(path: Path, body: bytes, *, packing: int = ZIP_DEFLATED, types: bytes = b"") -> Path:
    """A Word document with that body, and that document type definition."""
    whole = path.with_name("whole.docx")
    docx.Document().save(str(whole))
    with ZipFile(whole) as source, ZipFile(path, "w", packing) as target:
        for part in source.infolist():
            data = source.read(part)
            if part.filename == "word/document.xml":
                data = data.replace(b"<w:body>", b"<w:body>" + body, 1)
                data = data.replace(b"?>", b"?>" + types, 1)
            target.writestr(part.filename, data)
    whole.unlink()
    return path


def stream(data: bytes) -> StreamObject:
    plain = StreamObject()
    plain.set_data(data)
    return plain.flate_encode(9)


def test_a_word_document_that_unpacks_to_or_asks_for_too_much_is_named(tmp_path: Path) -> None:
    path = word_file(tmp_path / "a.docx", PARAGRAPH * 550)
    assert path.stat().st_size < 100_000
    assert reason_for(path, WORD) == (
        "unpacks to 6 MB, more than the limit of 5 MB: KG_MAX_FILE_MB sets another"
    )
    [document] = read(path, ReadOptions(max_file_mb=7))
    assert isinstance(document, Document)
    path = word_file(path, PARAGRAPH * 150)
    with ZipFile(path) as packed:
        size = packed.getinfo("word/document.xml").file_size
    path.write_bytes(path.read_bytes().replace(struct.pack("<I", size), struct.pack("<I", 3000)))
    assert "not a usable Word document" in reason_for(path, WORD)  # it lies about its size
    assert "so many tags" in reason_for(word_file(path, b"<w:p/>" * 50_000), WORD)
    assert "packed" in reason_for(word_file(path, PARAGRAPH, packing=ZIP_BZIP2), WORD)
    for levels, says in ((80, "down here"), (100, "Excessive depth")):
        inner = b"<w:p><w:r><w:t>down here</w:t></w:r></w:p>"
        for _ in range(levels):
            inner = b"<w:tbl><w:tr><w:tc>" + inner + b"</w:tc></w:tr></w:tbl>"
        [item] = read(word_file(path, inner), WORD)
        assert says in str(item)
    span = b'<w:tcPr><w:gridSpan w:val="2000000000"/></w:tcPr>'
    row = b"<w:tr><w:tc>" + span + b"<w:p/></w:tc><w:tc/></w:tr>"
    with ZipFile(word_file(path, b"<w:tbl>" + row + b"</w:tbl>" + PARAGRAPH), "a") as packed:
        for part in range(20_000):
            packed.writestr(f"word/p{part}.xml", "<a/>")
    [item] = read(path, ReadOptions())  # what it could ask for is not looked at
    assert isinstance(item, Document)
    assert item.text == "a" * 10_000


def test_a_workbook_whose_cells_take_more_than_its_file_is_named(tmp_path: Path) -> None:
    far = '<row r="1"><c r="A1"><v>1</v></c></row><row r="9000"><c r="XFD9000"><v>1</v></c></row>'
    same = '<row><c t="s"><v>0</v></c></row>' * 1_000
    for rows, says in (
        (far, "cells that unpack"),
        (same, "cells that unpack"),
        ("a" * MORE, "2 MB"),
    ):
        assert says in reason_for(workbook_of(tmp_path / "a.xlsx", {"S": rows}, ["a" * 30_000]))
    path = workbook_of(tmp_path / "a.xlsx", {"S": "a" * MORE})
    with ZipFile(path) as packed:
        size = packed.getinfo("xl/worksheet2.xml").file_size
    path.write_bytes(path.read_bytes().replace(struct.pack("<I", size), struct.pack("<I", 3000)))
    assert "not a usable workbook" in reason_for(path)  # it lies about its size


def test_entities_of_xml_do_not_multiply_and_read_no_file(tmp_path: Path) -> None:
    tenfold = (b'<!ENTITY e%d "%s">' % (i, b"&e%d;" % (i - 1) * 10) for i in range(1, 10))
    types = b'<!DOCTYPE d [<!ENTITY e0 "aaaaaaaaaa">' + b"".join(tenfold) + b"]>"
    text = b"<w:p><w:r><w:t>&e9;</w:t></w:r></w:p>"
    assert "not a usable Word" in reason_for(
        word_file(tmp_path / "a.docx", text, types=types), WORD
    )
    (tmp_path / "secret").write_text("nobody knows")
    address = (tmp_path / "secret").as_uri().encode()
    types = b'<!DOCTYPE d [<!ENTITY e SYSTEM "' + address + b'">]>'
    text = b"<w:p><w:r><w:t>It is: &e;</w:t></w:r></w:p>"
    [item] = read(word_file(tmp_path / "b.docx", text, types=types), WORD)
    assert "nobody" not in str(item)


def pdf_file(path: Path, content: StreamObject, n_pages: int = 1) -> Path:
    """A PDF with that content on each page."""
    writer = PdfWriter()
    shared = writer._add_object(content)
    font = DictionaryObject({NameObject("/Subtype"): NameObject("/Type1")})
    font[NameObject("/BaseFont")] = NameObject("/Helvetica")
    fonts = DictionaryObject({NameObject("/F"): writer._add_object(font)})
    resources = writer._add_object(DictionaryObject({NameObject("/Font"): fonts}))
    for _ in range(n_pages):
        page = writer.add_blank_page(300, 300)
        page[NameObject("/Resources")], page[NameObject("/Contents")] = resources, shared
    writer.write(path)
    return path


def test_a_small_pdf_can_not_take_all_memory_and_the_next_file_is_read(tmp_path: Path) -> None:
    paths = pdf_file(tmp_path / "a.pdf", stream(b"0 0 m 1 1 l S\n" * 6_000_000))
    lines = b"".join(b"(Marley was dead. %d) Tj T* " % n for n in range(60_000))
    long = pdf_file(tmp_path / "b.pdf", stream(b"BT /F 12 Tf 9 9 Td " + lines + b" ET"))
    good = pdf_file(tmp_path / "c.pdf", stream(b"BT /F 12 Tf 9 9 Td (Marley) Tj ET"))
    assert max(paths.stat().st_size, long.stat().st_size) < 500_000
    process = ReadingProcess(60)
    items = [item for path in (paths, long, good) for item in read(path, LIMIT, process=process)]
    process.stop()
    for item in items[:2]:
        assert isinstance(item, Unreadable), item
        assert "KG_MAX_FILE_MB" in item.reason
    assert isinstance(items[2], Document)
    assert items[2].text == "Marley"


@pytest.mark.parametrize(
    ("name", "content", "says"),
    [
        ("tags.html", "<p>" * 20_000, "so many tags"),
        ("text.html", "a" * MORE, "holds 2 MB, more than the limit of 1 MB"),
        ("large.json", '{"text": "' + "a" * MORE + '"}', "holds 2 MB"),
        ("deep.json", "[" * 900_000, "is not JSON"),
        ("a.eml", "Subject: x\n\n" + "a" * MORE, "holds 2 MB"),
        ("a.ipynb", "[" * 900_000, "not a usable notebook"),
        ("a.csv", 'text\n"' + "a" * MORE + '"\n', "line"),
        ("b.csv", 'text\n"' + "a\n" * (MORE // 2) + '"\n', "line"),
        ("c.csv", "a" * MORE + ",text\n1,One.\n", "line"),
        ("a.jsonl", '{"text": "' + "a" * MORE + '"}\n', "line"),
    ],
)
def test_what_is_too_large_is_named(tmp_path: Path, name: str, content: str, says: str) -> None:
    (tmp_path / name).write_text(content)
    assert says in reason_for(tmp_path / name)
    assert len(list(read(tmp_path / name, ReadOptions(max_file_mb=2)))) == 1


async def test_plain_text_and_rows_together_may_be_larger(tmp_path: Path) -> None:
    """The limit is a setting; what is above it is named, and the other files are read."""
    word_file(tmp_path / "a.docx", PARAGRAPH * 150)
    (tmp_path / "a.jsonl").write_text(f'{{"text": "{"A row of it. " * 80}"}}\n' * 1_500)
    (tmp_path / "a.txt").write_text("a" * MORE)
    corpus = Corpus.of_paths([tmp_path], ReadOptions(), load_settings(max_file_mb=1))
    assert len([document async for document in corpus.documents()]) == 1_501
    [reason] = corpus.reasons().values()
    assert "KG_MAX_FILE_MB" in reason


def test_of_many_unusable_rows_the_first_are_named_and_the_rest_counted(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text("[]\n" * 10_000 + '{"text": "Good."}\n')
    items = list(read(tmp_path / "a.jsonl", LIMIT))
    assert len(items) == 102
    last = items[-1]
    assert isinstance(last, Unreadable)
    assert last.reason == "and 9,900 more rows can't be used"


def test_a_very_long_text_is_several_documents(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("graphrag_neo4j.documents.text.LARGEST_PART", 100)
    paragraph = "A log\n" + "A line of it.\n" * 5 + "\n"  # 77 characters
    text = paragraph * 2 + "one line " * 20 + "x" * 150
    (tmp_path / "log.txt").write_text(text)
    documents = [one for one in read(tmp_path / "log.txt", LIMIT) if isinstance(one, Document)]
    assert "".join(one.text for one in documents) == text
    assert [len(one.text) for one in documents] == [77, 77, 99, 81, 100, 50]
    uri = (tmp_path / "log.txt").as_uri()
    assert [one.source for one in documents] == [uri, *(f"{uri}#part-{n}" for n in range(2, 7))]
    assert [one.title for one in documents][:2] == ["log.txt", "log.txt, part 2"]
    assert [dict(one.metadata) for one in documents][:2] == [{}, {"part": 2}]


@pytest.mark.parametrize("beginning", ["<a ", "<a/", "<![CDATA[", "<![CDATA[>", "<!-- >", "<![if>"])
def test_what_never_ends_in_a_page_is_read_in_a_moment(tmp_path: Path, beginning: str) -> None:
    (tmp_path / "a.html").write_text("<p>Marley was dead.</p>" + beginning * 100_000)
    began = time.process_time()
    [document] = read(tmp_path / "a.html", ReadOptions())
    assert time.process_time() - began < 5  # a second at most; it took minutes to hours
    assert isinstance(document, Document)
    assert document.text.startswith(f"Marley was dead.\n\n{beginning.strip()}")


@pytest.mark.parametrize(
    "tags", ["<sup><a>1", "<td>x", "<ul><li>x", "<?xml <![CDATA[", "<ruby><rt>x"]
)
def test_tags_in_tags_are_read_in_a_moment(tmp_path: Path, tags: str) -> None:
    (tmp_path / "a.html").write_text(tags * 20_000)
    began = time.process_time()
    assert len(list(read(tmp_path / "a.html", ReadOptions()))) == 1
    assert time.process_time() - began < 15  # two seconds; it took minutes


def test_what_ends_in_a_page_is_no_text_and_tags_may_be_deep(tmp_path: Path) -> None:
    (tmp_path / "a.html").write_text(
        "<!-- one --><p>Marley</p><![if !IE]>"
        "<p>was</p><![endif]><![CDATA[ two ]]><p>1 < 2</p> a < b" + "<div>" * 9_000 + "down here"
    )
    [document] = read(tmp_path / "a.html", ReadOptions())
    assert isinstance(document, Document)
    assert document.text == "Marley\n\nwas\n\n1 < 2\n\na < b\n\ndown here"


def test_short_rows_below_many_columns_are_read_in_a_moment(tmp_path: Path) -> None:
    columns = ",".join(f"c{n}" for n in range(20_000))
    (tmp_path / "a.csv").write_text(f"text,{columns}\n" + "Marley was dead.\n" * 20_000)
    began = time.process_time()
    assert len(list(read(tmp_path / "a.csv", ReadOptions()))) == 20_000
    assert time.process_time() - began < 20  # a second; it took minutes


@pytest.fixture(scope="module")
def slow(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a small PDF that takes minutes: each page draws the same 50,000 lines."""
    folder = tmp_path_factory.mktemp("slow")
    pdf_file(folder / "a.pdf", stream(b"0 0 m 1 1 l S\n" * 50_000), 4_000)
    (folder / "b.html").write_text("<p>Marley was dead.</p>")
    return folder


@contextmanager
def estimating(folder: Path, **settings: str) -> Iterator["subprocess.Popen[str]"]:
    """`kg-build estimate` of the folder, in a process of its own."""
    command = [sys.executable, "-m", "graphrag_neo4j.cli", "estimate", str(folder)]
    env, out = {**os.environ, "KG_MODEL": "extractive", **settings}, subprocess.PIPE
    with subprocess.Popen(command, env=env, stdout=out, stderr=out, text=True) as running:  # noqa: S603 - ours
        try:
            yield running
        finally:
            running.kill()


def test_a_file_that_takes_too_long_is_given_up_and_the_others_are_read(slow: Path) -> None:
    with estimating(slow, KG_READ_SECONDS="2") as running:
        said = "".join(running.communicate(timeout=60))
    assert running.returncode == 1
    assert "1 document" in said
    [line] = [line for line in said.splitlines() if "KG_READ_SECONDS" in line]
    assert "a.pdf" in line


def test_ctrl_c_ends_the_reading_of_a_file(slow: Path) -> None:
    with estimating(slow) as running:
        process = psutil.Process(running.pid)
        while not (readers := process.children()) and running.poll() is None:
            time.sleep(0.05)
        time.sleep(1)  # it reads the first file, for minutes
        running.send_signal(signal.SIGINT)
        _, said = running.communicate(timeout=60)
    assert running.returncode == 130
    assert said.endswith("The command was interrupted.\n")  # nothing is saved that could go on
    assert not any(reader.is_running() for reader in readers)

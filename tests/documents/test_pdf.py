"""What a person sees on the pages of a PDF is read, and nothing else."""

from collections.abc import Sequence
from pathlib import Path

import pytest
from pypdf import PdfWriter
from pypdf.annotations import FreeText
from pypdf.generic import (
    ArrayObject,
    BooleanObject,
    DictionaryObject,
    NameObject,
    NumberObject,
    StreamObject,
    TextStringObject,
)

from graphrag_neo4j.documents import ReadOptions, Remark, Unreadable, read
from graphrag_neo4j.model.types import Document

BODY = [(72, 400 - 14 * n, 12, f"Body text {chr(97 + n)} of it") for n in range(8)]
Line = tuple[int, int, int, str]


def dictionary(**entries: object) -> DictionaryObject:
    return DictionaryObject({NameObject(f"/{name}"): value for name, value in entries.items()})


def pdf_of(path: Path, *pages: Sequence[Line], **about: str) -> PdfWriter:
    """A PDF with lines at (x, y) in letters of a size, on pages of 600 by 800 points."""
    writer = PdfWriter()
    names = {"Type": "Font", "Subtype": "Type1", "BaseFont": "Helvetica"}
    names["Encoding"] = "WinAnsiEncoding"
    font = writer._add_object(dictionary(**{k: NameObject(f"/{v}") for k, v in names.items()}))
    for lines in pages:
        drawn = "\n".join(f"BT /F {s} Tf {x} {y} Td ({text}) Tj ET" for x, y, s, text in lines)
        content = StreamObject()
        content.set_data(drawn.encode("cp1252"))
        page = writer.add_blank_page(600, 800)
        page[NameObject("/Contents")] = writer._add_object(content)
        page[NameObject("/Resources")] = dictionary(Font=dictionary(F=font))
    writer.add_metadata({f"/{name}": value for name, value in about.items()})
    writer.write(path)
    return writer


def read_in(path: Path) -> tuple[Document, list[Remark]]:
    remarks: list[Remark] = []
    [document] = read(path, ReadOptions(), remarks.append)
    assert isinstance(document, Document), document
    return document, remarks


def text_in(path: Path) -> str:
    return read_in(path)[0].text


def test_lines_paragraphs_and_columns_are_kept_apart_on_turned_pages_too(tmp_path: Path) -> None:
    head = [(72, 500, 24, "Head"), (72, 470, 12, "One and"), (72, 456, 12, "two.")]
    row = [(72, 425, 12, "010"), (150, 425, 12, "3,532"), (72, 411, 12, "Last")]
    writer = pdf_of(tmp_path / "a.pdf", [*head, *row])
    content = writer.pages[0]["/Contents"]
    assert isinstance(content, StreamObject)
    drawn = content.get_data()
    turned = {0: b"", 90: b"0 1 -1 0 600 0 cm ", 180: b"-1 0 0 -1 600 800 cm "}
    for turn, matrix in (turned | {270: b"0 -1 1 0 0 800 cm "}).items():
        content.set_data(matrix + drawn)
        writer.pages[0][NameObject("/Rotate")] = NumberObject(turn)
        writer.write(tmp_path / "a.pdf")
        assert text_in(tmp_path / "a.pdf") == "Head\n\nOne and\ntwo.\n\n010 3,532\nLast"


def test_words_broken_at_a_line_end_are_whole_and_keep_a_hyphen_of_their_own(
    tmp_path: Path,
) -> None:
    texts = [
        "a well-known finan-",
        "cial plan of Jean-",
        "Pierre and a well-",
        "known end\xad",
        "ing",
    ]
    pdf_of(tmp_path / "a.pdf", [(72, 700 - 14 * n, 12, text) for n, text in enumerate(texts)])
    assert text_in(tmp_path / "a.pdf") == (
        "a well-known financial\nplan of Jean-Pierre\nand a well-known\nending"
    )


def test_what_is_drawn_twice_is_there_once_and_what_is_cropped_is_not(tmp_path: Path) -> None:
    bold = [(72, 700, 12, "Bold"), (72, 670, 12, "Plain"), (73, 700, 12, "Bold")]
    writer = pdf_of(tmp_path / "a.pdf", [*bold, (72, 640, 12, "Bold"), (72, 20, 12, "Slug")])
    writer.pages[0].cropbox.lower_left = (0, 50)
    writer.write(tmp_path / "a.pdf")
    assert text_in(tmp_path / "a.pdf").split() == ["Bold", "Plain", "Bold"]


def test_running_heads_and_page_numbers_are_left_out_and_what_they_say_is_told_once(
    tmp_path: Path,
) -> None:
    pages = [
        [
            *((72, 780, 9, "Acme Report 2024"), (72, 700, 20, f"Step {n}")),
            *((x, y, size, f"{text} {n * n}") for x, y, size, text in BODY),
            (300, 20, 9, f"Page {n} of 5"),
        ]
        for n in range(1, 6)
    ]
    pages[0][0] = (72, 780, 9, "The title")
    pdf_of(tmp_path / "a.pdf", *pages)
    document, remarks = read_in(tmp_path / "a.pdf")
    assert document.text.startswith("The title")
    assert document.text.count("Acme Report 2024") == 1
    assert "Page" not in document.text
    for n in range(1, 6):
        assert f"Step {n}" in document.text
        assert f"{document.text}\n".count(f" of it {n * n}\n") == len(BODY)
    assert [remark.n for remark in remarks] == [8]  # three heads and five numbers
    pdf_of(tmp_path / "b.pdf", *[[(72, 700, 12, "The same form")]] * 4)
    assert text_in(tmp_path / "b.pdf") == "The same form"
    pdf_of(tmp_path / "c.pdf", *[[(72, 700, 12, f"Slide {n}")] for n in range(4)])
    assert text_in(tmp_path / "c.pdf").split("\n\n") == [f"Slide {n}" for n in range(4)]
    pdf_of(tmp_path / "d.pdf", pages[1], pages[2])  # two pages do not show what is a habit
    assert text_in(tmp_path / "d.pdf").count("Acme") == 2


def test_values_of_a_form_and_texts_typed_onto_a_page_are_read(tmp_path: Path) -> None:
    writer = pdf_of(tmp_path / "a.pdf", [(72, 700, 12, "Order")])
    box = ArrayObject(map(NumberObject, (100, 600, 200, 620)))
    fields = ArrayObject()
    for name, kind, value, flags in (
        *(("Name", "/Tx", "Ann\rLee", 4), ("Size", "/Ch", "Large", 4), ("Old", "/Tx", "gone", 2)),
        *(("Gift", "/Btn", "/Yes", 4), ("Post", "/Btn", "/Off", 4)),
    ):
        held = NameObject(value) if kind == "/Btn" else TextStringObject(value)
        field = dictionary(
            Type=NameObject("/Annot"), Subtype=NameObject("/Widget"), Rect=box, V=held,
            FT=NameObject(kind), T=TextStringObject(name), F=NumberObject(flags),
        )  # fmt: skip
        if kind == "/Btn":
            field[NameObject("/AS")] = held
            states = {name: writer._add_object(StreamObject()) for name in ("Yes", "Off")}
            field[NameObject("/AP")] = dictionary(N=dictionary(**states))
        fields.append(writer._add_object(field))
    writer.pages[0][NameObject("/Annots")] = fields
    writer.root_object[NameObject("/AcroForm")] = dictionary(Fields=fields)
    writer.add_annotation(0, FreeText(text="Paid", rect=(50, 550, 200, 570)))
    writer.write(tmp_path / "a.pdf")
    assert text_in(tmp_path / "a.pdf") == "Order\nName: Ann\nLee\nSize: Large\nGift: Yes\nPaid"


def test_pages_without_text_and_attached_files_are_told(tmp_path: Path) -> None:
    writer = pdf_of(tmp_path / "a.pdf", [(72, 700, 12, "Text")], [], [(72, 700, 12, "More")])
    picture = StreamObject()
    picture.set_data(b"BI /W 1 /H 1 /CS /G /BPC 8 ID \xff EI")
    writer.pages[1][NameObject("/Contents")] = writer._add_object(picture)
    writer.add_attachment("a.txt", b"More")
    writer.write(tmp_path / "a.pdf")
    document, remarks = read_in(tmp_path / "a.pdf")
    assert document.text == "Text\n\nMore"
    assert [(n, sentence.partition(" (")[0]) for sentence, n in remarks] == [
        (1, "{n} pages without text"),
        (1, "{n} attached files were not read"),
    ]


@pytest.mark.parametrize(
    ("about", "title", "author", "created"),
    [
        ({"Title": "Plan of 1.5", "Author": "Ann Lee"}, "Plan of 1.5", "Ann Lee", None),
        ({"Title": "Microsoft Word - x.docx", "Author": "(anonymous)"}, "a.pdf", None, None),
        ({"Title": "Untitled-1", "Author": "Unknown"}, "a.pdf", None, None),
        ({"Title": "A", "CreationDate": "D:20240102030405Z"}, "a.pdf", None, "2024-01-02T03:04:05"),
        ({"Title": "brochure.indd", "CreationDate": "D:20240102"}, "a.pdf", None, "2024-01-02"),
        ({"Title": " ", "CreationDate": "2 January 2024"}, "a.pdf", None, None),
        ({"CreationDate": "D:20241302030405+01'00'"}, "a.pdf", None, None),
    ],
)
def test_titles_of_programs_are_none_and_dates_are_iso(
    tmp_path: Path, about: dict[str, str], title: str, author: str | None, created: str | None
) -> None:
    pdf_of(tmp_path / "a.pdf", BODY, **about)
    document, _ = read_in(tmp_path / "a.pdf")
    assert (document.title, document.metadata.get("author")) == (title, author)
    assert str(document.metadata.get("created")).startswith(str(created))


def test_a_form_of_adobe_s_programs_says_what_to_do(tmp_path: Path) -> None:
    writer = pdf_of(tmp_path / "a.pdf", [(72, 700, 12, "Please wait...")])
    form = dictionary(XFA=ArrayObject(), Fields=ArrayObject())
    writer.root_object[NameObject("/AcroForm")] = form
    writer.root_object.update(dictionary(NeedsRendering=BooleanObject(True)))
    writer.write(tmp_path / "a.pdf")
    [item] = read(tmp_path / "a.pdf", ReadOptions())
    assert isinstance(item, Unreadable)
    assert "print it into a PDF" in item.reason

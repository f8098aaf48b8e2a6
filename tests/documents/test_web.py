"""Pages, e-mails, books and notebooks give what a reader sees of them."""

import json
from collections.abc import Mapping
from pathlib import Path
from zipfile import ZIP_DEFLATED, ZipFile

import pytest

from graphrag_neo4j.documents import ReadOptions, Remark, Unreadable, read
from graphrag_neo4j.model.types import Document
from graphrag_neo4j.text.strings import CODE


def document_in(
    path: Path, content: str | bytes = b"", remarks: list[Remark] | None = None
) -> Document:
    if content:
        path.write_bytes(content.encode() if isinstance(content, str) else content)
    [document] = read(path, ReadOptions(), (remarks if remarks is not None else []).append)
    assert isinstance(document, Document), document
    return document


# Pages


@pytest.mark.parametrize(
    ("markup", "text"),
    [
        ("<div style='display : none'>N</div><p hidden>N</p><p>Y", "Y"),
        ("<p hidden>N</p>Y <ul><li hidden>N</li><li>Y", "Y\n\n- Y"),
        ("<dialog>N</dialog><dialog open>Y</dialog><i style='visibility:hidden'>N</i>", "Y"),
        ("<datalist><option>N</datalist><template>N</template><select><option>N</select>Y", "Y"),
        ("<body style='display:none'>Y<details><summary>S</summary>Y</details>", "Y\n\nS\nY"),
        ("<p aria-hidden=true>Y<p hidden=until-found>Y<div popover>N</div>", "Y\n\nY"),
        ("<ol start=3><li>a<li value=7>b<li>c</ol>", "3. a\n7. b\n8. c"),
        ("<ol start=4><li>a<li value=9>b</ol><ol start=x><li>c</ol>", "4. a\n9. b\n\n1. c"),
        ("<ul><li><p>a</p></li><li><p>b</p><p>c</p></li><li></ul>d", "- a\n- b\n\nc\n\nd"),
        ("<ul><li>a<ul><li>b</li></ul></li><li>c</li></ul>", "- a\n  - b\n- c"),
        ("Ac<b>me</b><wbr>s so\xadft\u200b", "Acmes soft"),
        ("a<img alt='A  chart'>b<img alt=''>c", "a A chart bc"),
        ("<q>Yes</q>, H<sub>2</sub>O, Acme<sup><a>1</a></sup>", "“Yes”, H2O, Acme 1"),
        ("<ruby>漢<rp>(</rp><rt>かん</rt><rp>)</rp></ruby>", "漢(かん)"),
        ("<math><mfrac><mi>a</mi><mn>2</mn></mfrac><annotation>N</annotation></math>", "a/2"),
        ("<svg><title>N</title><desc>N</desc><text>7</text><text>8</text></svg>", "7\n8"),
        ("<table><tr><td><p>a</p><td><p>b</p></table>", "a\n\nb"),
        ("<table><tr><td><p>a</p></td><td><p>b</p><p>c<br>d</p></td></tr></table>", "a | b c d"),
        ("<pre>  a\r\n\tb</pre>", "  a\n        b"),
        ("<pre><code>if a:\n  b\n\nc</code></pre>", f"{CODE}if a:\n{CODE}  b\n\n{CODE}c"),
        ("<div class=highlight><pre>a<br>b</pre></div>", f"{CODE}a\n{CODE}b"),
        ("<?xml version='1.0'?><p><![CDATA[a < b]]></p><p/>", "a < b"),
    ],
)  # fmt: skip
def test_a_page_is_what_is_seen_of_it(tmp_path: Path, markup: str, text: str) -> None:
    assert document_in(tmp_path / "a.xhtml", markup).text == text


def test_a_page_says_what_it_is_about(tmp_path: Path) -> None:
    document = document_in(
        tmp_path / "a.html",
        "<svg><title>icon</title></svg><meta property=og:title content='A  story'>"
        "<meta name=Author content='https://x.y/z'><meta name=DC.creator content='Ann Lee'>"
        "<meta name=date content=yesterday><meta name=keywords content='a, b c,'>"
        "<meta property=article:published_time content='2021-12-08T10:00:00Z'>"
        "<meta name=description content='About it.'><h1>Heading</h1>Text",
    )
    assert document.title == "A story"
    assert document.metadata == {
        "author": "Ann Lee",
        "date": "2021-12-08T10:00:00Z",
        "description": "About it.",
        "keywords": ["a", "b c"],
    }
    assert document_in(tmp_path / "a.html", "<h1>Main <b>one</b><p>Text").title == "Main one"


def test_only_a_declaration_of_a_page_declares_its_charset(tmp_path: Path) -> None:
    for before, after in (
        ("<!-- <meta charset=iso-8859-1> -->", ""),
        ("<script>x = '<meta charset=iso-8859-1>'</script>", ""),
        ("<meta property=og:url content='http://x/?charset=iso-8859-1&a'>", ""),
        ("<?xml version='1.0' encoding='iso-8859-1'?>", ""),
        ("", "<meta charset=iso-8859-1>"),
    ):
        http = "<meta http-equiv=Content-Type content='text/html;charset=windows-1251'>"
        page = f"{before}{http}{after}<p>Договор о поставке".encode("cp1251")
        assert document_in(tmp_path / "a.html", page).text == "Договор о поставке"


# E-mails


def test_an_email_is_what_a_mail_program_shows(tmp_path: Path) -> None:
    head = "From: =?utf-8?q?J=C3=B6rn?= <j@x.org>\nTo: a@x.org,\n b@x.org\n"
    head += "Subject: =?koi8-r?B?8NLJ18XU?=\n"
    date = "Date: Fri, 21 Nov 1997 09:55:06 -0600\n"
    forwarded = f"--b\nContent-Type: message/rfc822\n\n{head}\nOld text.\n"
    picture = "--b\nContent-Type: image/png\nContent-Transfer-Encoding: base64\n\n!!\n"
    html = "--c\nContent-Type: text/html; charset=iso-8859-1\n\n<p>na\xefve <b>one</b>\n--c--\n"
    plain = "--c\nContent-Type: text/plain; format=flowed\n\n \n"
    both = f"--b\nContent-Type: multipart/alternative; boundary=c\n\n{plain}{html}"
    kind = "Content-Type: multipart/mixed; boundary=b\n"
    mail = f"{head}{date}{kind}\n{both}{picture}{forwarded}--b--\n"
    remarks: list[Remark] = []
    document = document_in(tmp_path / "a.eml", mail.encode("latin-1"), remarks)
    shown = "From: Jörn <j@x.org>\nTo: a@x.org, b@x.org\n"
    assert document.text == (f"{shown}{date}\nnaïve one\n\nSubject: Привет\n{shown}\nOld text.")
    assert document.title == "Привет"
    assert document.metadata == {"author": "Jörn", "date": "1997-11-21T09:55:06-06:00"}
    assert remarks == [Remark("{n} attachments are not read: save them as files", 1)]


def test_an_email_that_is_broken_is_read_as_far_as_it_goes(tmp_path: Path) -> None:
    for content, text in [
        ("Subject: =?x?q?=FF?=\nDate: never\n\nna\xefve", "naïve"),
        ("Content-Type: text/plain; charset=nonsense\n\nna\xefve", "naïve"),
        ("From: <a@b>\nContent-Transfer-Encoding: base64\n\n=====", "From: <a@b>"),
        ("Content-Type: multipart/mixed; boundary=b\n\n--b\nContent-Type: x\n\nText", "Text"),
        ("Content-Type: text/plain; format=flowed\n\nOne \nline.\n\n-- \nA", "One line.\n\n-- \nA"),
    ]:
        document = document_in(tmp_path / "a.eml", content.encode("latin-1"))
        assert document.text.endswith(text)
    deep = "".join(
        f"Content-Type: multipart/mixed; boundary=b{n}\n\n--b{n}\n" for n in range(3_000)
    )
    (tmp_path / "a.eml").write_text(deep)
    [problem] = read(tmp_path / "a.eml", ReadOptions())
    assert isinstance(problem, Unreadable)


def test_the_parts_of_an_email_are_shown_or_counted(tmp_path: Path) -> None:
    plain = "--c\nContent-Type: text/plain\n\nYour program shows no HTML.\n"
    html = "--c\nContent-Type: text/html\n\n<meta charset=windows-1251><p>" + "Договор " * 20
    both = f"Content-Type: multipart/alternative; boundary=c\n\n{plain}{html}\n--c--\n"
    assert "Договор" in document_in(tmp_path / "a.eml", both.encode("cp1251")).text
    remarks: list[Remark] = []
    pdf = "Content-Type: application/pdf\nContent-ID: <a>\nContent-Disposition: attachment\n\nx"
    picture = "Content-Type: image/png\nContent-ID: <b>\n\nx"
    mixed = f"--c\n{pdf}\n--c\n{picture}\n--c\n\nText\n--c--\n"
    head = "Subject: =?utf-8?B?SGVsbG8gd?=\nContent-Type: multipart/mixed; boundary=c\n\n"
    document = document_in(tmp_path / "a.eml", head + mixed, remarks)
    assert document.text == "Text"
    assert [remark.n for remark in remarks] == [1]


# Books

PACKAGE = """<?xml version="1.0"?><opf:package xmlns:opf="http://www.idpf.org/2007/opf"><opf:metadata>
<dc:title>The Book</dc:title><dc:creator>Ann Lee</dc:creator><dc:creator>Bo</dc:creator>
<dc:date>2012-02-20</dc:date><dc:language>en</dc:language></opf:metadata><opf:manifest>
<opf:item id="n" href="nav.xhtml" properties="nav"/><opf:item id="b" href="text/two%20b.xhtml"/>
<opf:item id="a" href="text/one.xhtml"/><opf:item id="x" href="gone.xhtml"/>
</opf:manifest><opf:spine>
<opf:itemref idref="n"/><opf:itemref idref="a" linear="no"/><opf:itemref idref="b"/>
<opf:itemref idref="x"/><opf:itemref idref="b"/></opf:spine></opf:package>"""
BOOK = {
    "META-INF/container.xml": '<container><rootfile full-path="in/a.opf"/></container>',
    "in/a.opf": PACKAGE,
    "in/nav.xhtml": "<p>Contents",
    "in/text/two b.xhtml": '<?xml version="1.0"?><title/><p>Two.</p>',
    "in/text/one.xhtml": "<h1>One</h1><p>Naïve.",
}


def book(path: Path, **parts: str) -> Path:
    with ZipFile(path, "w", ZIP_DEFLATED) as packed:
        for name, content in (BOOK | parts).items():
            packed.writestr(name, content)
    return path


def test_a_book_is_its_chapters_in_their_order(tmp_path: Path) -> None:
    remarks: list[Remark] = []
    document = document_in(book(tmp_path / "a.epub"), remarks=remarks)
    assert (document.title, document.text) == ("The Book", "One\n\nNaïve.\n\nTwo.")
    about = {"author": "Ann Lee, Bo", "date": "2012-02-20", "language": "en"}
    assert document.metadata == about
    assert remarks == [Remark("{n} chapters are missing", 1)]
    guide = '<guide><reference type="toc" href="text/one.xhtml#toc"/></guide></opf:package>'
    parts = {"in/a.opf": PACKAGE.replace("</opf:package>", guide).replace("The Book", "")}
    document = document_in(book(tmp_path / "a.epub", **parts))
    assert (document.title, document.text[:3]) == ("One", "One")  # the contents are a part of it
    locked = '<encryption><enc:EncryptionMethod Algorithm="http://www.w3.org/2001/04/xmlenc#{}"/>'
    fonts = '<encryption><EncryptionMethod Algorithm="http://www.idpf.org/2008/embedding"/>'
    assert document_in(book(tmp_path / "a.epub", **{"META-INF/encryption.xml": fonts})).text
    huge = {"in/text/one.xhtml": "a" * 2_000_000}
    for parts, says in [
        ({"META-INF/encryption.xml": locked}, "DRM"),
        (huge, "unpacks to 2 MB, more than the limit of 1 MB"),
        ({"META-INF/container.xml": "<x/>"}, "not a usable book"),
        ({"in/text/one.xhtml": "", "in/text/two b.xhtml": ""}, "has no text"),
    ]:  # fmt: skip
        [problem] = read(book(tmp_path / "a.epub", **parts), ReadOptions(max_file_mb=1))
        assert isinstance(problem, Unreadable)
        assert says in problem.reason


# Notebooks


def test_a_notebook_is_its_text_and_its_code_with_results(tmp_path: Path) -> None:
    cells: list[Mapping[str, object]] = [
        {"cell_type": "markdown", "source": ["Intro\n", "# The title #\n"]},
        {
            "cell_type": "code",
            "source": "a = 1\n\nprint(a)",
            "outputs": [
                {"output_type": "stream", "text": ["\x1b[31m1\x1b[0m\n"]},
                {"data": {"text/plain": ["<Figure>"], "image/png": "AAAA"}},
                {"data": {"text/plain": "2", "text/html": "<b>2</b>"}},
            ],
        },
        {"cell_type": "raw", "source": "Raw."},
    ]
    code = f"{CODE}a = 1\n\n{CODE}print(a)\n\n{CODE}1\n\n{CODE}2"
    document = document_in(tmp_path / "a.ipynb", json.dumps({"cells": cells, "nbformat": 4}))
    assert document.title == "The title"
    assert document.text.endswith(f"\n\n{code}\n\nRaw.")
    old = [
        {"cell_type": "heading", "level": 1, "source": ["Old"]},
        {"cell_type": "code", "input": ["a = 1", "a"], "outputs": [{"text": ["1"]}]},
    ]
    document = document_in(tmp_path / "a.ipynb", json.dumps({"worksheets": [{"cells": old}]}))
    assert document.title == "Old"
    assert document.text.endswith(f"\n\n{CODE}a = 1\n{CODE}a\n\n{CODE}1")
    for content in ("[", "[]", '{"cells": [5]}', '{"cells": []}'):
        (tmp_path / "a.ipynb").write_text(content)
        [problem] = read(tmp_path / "a.ipynb", ReadOptions())
        assert isinstance(problem, Unreadable)

"""What is read of Word and PowerPoint files: what a person sees in them."""

from pathlib import Path
from zipfile import ZipFile

import pytest

from graphrag_neo4j.documents import ReadOptions, Remark, Unreadable, read
from graphrag_neo4j.documents.office import read_office
from graphrag_neo4j.documents.text import File
from graphrag_neo4j.model.types import Document

SCHEMAS = "http://schemas.openxmlformats.org/"
SPACES = "".join(
    f' xmlns:{prefix}="{space}"'
    for prefix, space in {
        "w": SCHEMAS + "wordprocessingml/2006/main",
        "m": SCHEMAS + "officeDocument/2006/math",
        "r": SCHEMAS + "officeDocument/2006/relationships",
        "a": SCHEMAS + "drawingml/2006/main",
        "p": SCHEMAS + "presentationml/2006/main",
        "c": SCHEMAS + "drawingml/2006/chart",
        "dgm": SCHEMAS + "drawingml/2006/diagram",
        "mc": SCHEMAS + "markup-compatibility/2006",
        "wps": "http://schemas.microsoft.com/office/word/2010/wordprocessingShape",
        "dc": "http://purl.org/dc/elements/1.1/",
        "dcterms": "http://purl.org/dc/terms/",
        "v": "urn:schemas-microsoft-com:vml",
        "x": "urn:of-nobody",
    }.items()
)


def parts_file(path: Path, main: str, parts: dict[str, str]) -> Path:
    """A file of these parts by name. Each refers to those that are named after it in its folder."""
    with ZipFile(path, "w") as packed:
        for name, text in parts.items():
            packed.writestr(name, text)
        links = {"": {main: "officeDocument", "docProps/core.xml": "core-properties"}}
        for name in parts:
            kind = name.rpartition("/")[2].removesuffix(".xml").rstrip("0123456789")
            links.setdefault(main, {})[name] = kind
            if name.startswith("ppt/slides/"):
                notes = name.replace("slides/slide", "notes/notes")
                links[name] = {notes: "notesSlide", "ppt/data.xml": "data"}
        for name, targets in links.items():
            folder, _, base = name.rpartition("/")
            packed.writestr(
                f"{folder}/_rels/{base}.rels".lstrip("/"),
                "<Relationships>"
                + "".join(
                    f'<Relationship Id="{target}" Type="{SCHEMAS}{kind}" Target="/{target}"/>'
                    for target, kind in targets.items()
                )
                + "</Relationships>",
            )
    return path


def word(path: Path, body: str, core: str = "", **parts: str) -> Path:
    """A Word file with the body, and with the content of the other parts."""
    parts = {f"word/{name}.xml": f"<x{SPACES}>{text}</x>" for name, text in parts.items()}
    parts["word/document.xml"] = f"<w:document{SPACES}><w:body>{body}</w:body></w:document>"
    if core:
        parts["docProps/core.xml"] = f"<core{SPACES}>{core}</core>"
    return parts_file(path, "word/document.xml", parts)


def opened(path: Path) -> Document:
    """The one document of a file, of which nothing is to be told."""
    [document] = read(path, ReadOptions())
    assert isinstance(document, Document), document
    return document


def run(text: str, properties: str = "") -> str:
    return f'<w:r><w:rPr>{properties}</w:rPr><w:t xml:space="preserve">{text}</w:t></w:r>'


def w(name: str, *inner: str) -> str:
    """An element of Word's. What isn't a tag in it is a run."""
    runs = (one if one.startswith("<") else run(one) for one in inner)
    return f"<w:{name}>{''.join(runs)}</w:{name.partition(' ')[0]}>"


def par(*inner: str, properties: str = "") -> str:
    return w("p", f"<w:pPr>{properties}</w:pPr>", *inner)


def field(instruction: str, result: str) -> str:
    begin, separate, end = (
        w("r", f"<w:fldChar w:fldCharType='{kind}'/>") for kind in ("begin", "separate", "end")
    )
    return begin + instruction + separate + result + end


def either(choice: str, fallback: str, needs: str) -> str:
    one = f"<mc:Choice Requires='{needs}'>{choice}</mc:Choice>"
    return f"<mc:AlternateContent>{one}<mc:Fallback>{fallback}</mc:Fallback></mc:AlternateContent>"


BOX = w("txbxContent", par("Warning: Acme recalls it."))
SHAPE = w("pict", f"<v:shape><v:textbox>{BOX}</v:textbox></v:shape>")
VANISH = "<w:vanish/>"
DELETED = "<w:rPr><w:del/></w:rPr>"
GREEK = "<w:rFonts w:ascii='Symbol'/>"


@pytest.mark.parametrize(
    ("body", "text"),
    [
        # Revisions
        (par("Fee: ", w("ins", "8,000"), w("del", "9"), "."), "Fee: 8,000."),
        (par(w("moveFrom", "Gone.")) + par(w("moveTo", "Come.")), "Come."),
        (par("One ", properties=DELETED) + par("text.") + par("A."), "One text.\n\nA."),
        # Containers of text
        (par("The ", w("smartTag", w("smartTag", "king")), "."), "The king."),
        (w("customXml", w("sdt", w("sdtContent", par("Acme")))), "Acme"),
        (w("p2", "No ", "paragraph"), "No paragraph"),
        (par(w("hyperlink", w("fldSimple", "See 9"))), "See 9"),
        (par(w("dir", w("bdo", "Both")), f"<x:new>{run(' ways')}</x:new>"), "Both ways"),
        (par(w("ruby", w("rt", "とう"), w("rubyBase", "東"))), "東"),
        # Fields
        (par("Dear ", field(w("instrText") + field("", run("M")), run("Mr")), " X"), "Dear Mr X"),
        (par(w("r", "<w:fldChar w:fldCharType='begin'/>"), "It has no end."), "It has no end."),
        # Hidden text
        (par("Seen", run(" not", VANISH), run(" too", "<w:vanish w:val='0'/>")), "Seen too"),
        (par(run("Secret", "<w:rStyle w:val='Child'/>"), "Open"), "Open"),
        (par("Secret", properties="<w:pStyle w:val='Hidden'/>") + par("Open"), "Open"),
        # Signs
        (par("e", w("r", "<w:noBreakHyphen/>"), "ma", w("r", "<w:softHyphen/>"), "il"), "e-mail"),
        (par(w("r", "<w:sym w:font='Symbol' w:char='F06D'/><w:t>m</w:t><w:br/>"), "x"), "μm\nx"),
        (par(run("\uf0b3 1", GREEK), w("r", "<w:sym w:char='zz'/>")), "≥ 1•"),
        # Text boxes
        (par("A ", w("r", SHAPE), "b.") + par("C."), "A b.\n\nWarning: Acme recalls it.\n\nC."),
        (par(w("r", either(w("drawing", BOX), SHAPE, "wps"))), "Warning: Acme recalls it."),
        (par(w("r", either("<x:y/>", "<w:t>For all</w:t>", "x"))), "For all"),
        (par(w("pict", "<v:shape><v:textpath string='Wavy'/></v:shape>")), "Wavy"),
    ],
)  # fmt: skip
def test_all_words_of_the_final_version_are_read(tmp_path: Path, body: str, text: str) -> None:
    hidden = f"<w:style w:styleId='Hidden'><w:rPr>{VANISH}</w:rPr></w:style>"
    child = "<w:style w:styleId='Child'><w:basedOn w:val='Hidden'/></w:style>"
    path = word(tmp_path / "a.docx", body, styles=hidden + child)
    assert opened(path).text == text
    strict = tmp_path / "strict.docx"
    with ZipFile(path) as packed, ZipFile(strict, "w") as target:
        for part in packed.namelist():
            data = packed.read(part).replace(SCHEMAS.encode(), b"http://purl.oclc.org/ooxml/")
            target.writestr(part, data.replace(b"/2006/main", b"/main"))
    assert opened(strict).text == text


def test_tables_are_read_cell_by_cell(tmp_path: Path) -> None:
    def cell(*inner: str, properties: str = "") -> str:
        return w("tc", f"<w:tcPr>{properties}</w:tcPr>", *inner)

    table = w(
        "tbl",
        w(
            "tr",
            cell(par("Wide"), properties="<w:gridSpan w:val='9'/>"),
            cell(par("2"), par("parts")),
        ),
        w("tr", "<w:trPr><w:gridBefore w:val='1'/></w:trPr>", cell(par("Tall")), cell(par("b"))),
        w(
            "tr",
            cell(par(), properties="<w:vMerge/>"),
            w("sdt", w("sdtContent", cell(par("control")))),
        ),
        w("tr", "<w:trPr><w:del w:id='1'/></w:trPr>", cell(par("deleted"))),
        w("tr", cell(w("tbl", w("tr", cell(par("in")), cell(par("side"))))), cell(par("out"))),
        w("tr", cell(par())),
    )
    frame = w("tbl", w("tr", cell(par("Only"), par("a frame"))))
    assert opened(word(tmp_path / "a.docx", table + frame)).text == (
        "Wide | 2 parts\nTall | b\n | control\nin | side | out\n\nOnly\n\na frame"
    )


def test_numbers_and_bullets_are_those_that_a_person_sees(tmp_path: Path) -> None:
    def level(n: int, form: str, text: str, more: str = "") -> str:
        stated = f"<w:start w:val='1'/><w:numFmt w:val='{form}'/>{more}<w:lvlText w:val='{text}'/>"
        return f"<w:lvl w:ilvl='{n}'>{stated}</w:lvl>"

    def given(number: int, level: int) -> str:
        return w("numPr", f"<w:ilvl w:val='{level}'/><w:numId w:val='{number}'/>")

    def item(text: str, number: int, level: int = 0) -> str:
        return par(text, properties=given(number, level))

    def heading(text: str, style: str) -> str:
        return par(text, properties=f"<w:pStyle w:val='{style}'/>")

    kinds = (
        level(0, "upperRoman", "%1.") + level(1, "decimal", "%1.%2", "<w:isLgl/>"),
        level(0, "lowerLetter", "%1)") + level(1, "decimalZero", "%1.%2") + level(2, "bullet", "o"),
    )
    starts = "<w:lvlOverride w:ilvl='0'><w:startOverride w:val='27'/></w:lvlOverride>"
    numbering = "".join(
        f"<w:abstractNum w:abstractNumId='{n}'>{kind}</w:abstractNum>"
        for n, kind in enumerate(kinds)
    ) + "".join(
        f"<w:num w:numId='{n}'><w:abstractNumId w:val='{kind}'/>{more}</w:num>"
        for n, kind, more in ((1, 0, ""), (2, 1, ""), (3, 1, starts))
    )
    styles = "<w:style w:styleId='Mine'><w:basedOn w:val='H2'/></w:style>"
    for n in (1, 2):
        held = w("pPr", given(1, n - 1), f"<w:outlineLvl w:val='{n}'/>")
        styles += f"<w:style w:styleId='H{n}'>{held}</w:style>"
    body = heading("Scope", "H1") + heading("Terms", "H2") + heading("More", "Mine")
    body += item("one", 2) + item("deep", 2, 1) + item("dot", 2, 2) + item("two", 2)
    body += item("deep", 2, 1) + item("other", 3) + item("plain", 0) + heading("End", "H1")
    path = word(tmp_path / "a.docx", body, styles=styles, numbering=numbering)
    assert opened(path).text == (
        "I. Scope\n\n1.1 Terms\n\n1.2 More\n\n"
        "a) one\na.01 deep\n- dot\nb) two\nb.01 deep\naa) other\n\nplain\n\nII. End"
    )


def test_a_note_is_a_block_after_its_paragraph_with_the_mark_at_which_it_is_cited(
    tmp_path: Path,
) -> None:
    def cite(kind: str, note: int) -> str:
        return w("r", f"<w:{kind}Reference w:id='{note}'/>")

    def note(kind: str, n: int, text: str) -> str:
        return f"<w:{kind} w:id='{n}'>{par(w('r', f'<w:{kind}Ref/>'), text)}</w:{kind}>"

    again = cite("footnote", 2)  # a note is read once, however often a hostile file cites it
    body = par("The king", cite("footnote", 2), " died.", cite("endnote", 2)) + par("A.", again)
    body += par(w("del", cite("footnote", 3)), "End.")
    notes = note("footnote", 2, " Of Egypt.") + note("footnote", 3, "Dropped.")
    path = word(tmp_path / "a.docx", body, footnotes=notes, endnotes=note("endnote", 2, "1936."))
    assert opened(path).text == ("The king[1] died.[2]\n\n[1] Of Egypt.\n\n[2] 1936.\n\nA.\n\nEnd.")


def m(name: str, *inner: str) -> str:
    """An element of an equation."""
    runs = (one if one.startswith("<") else f"<m:r><m:t>{one}</m:t></m:r>" for one in inner)
    return f"<m:{name}>{''.join(runs)}</m:{name}>"


SUM = m("naryPr", "<m:chr m:val='∑'/>")
OPEN = m("dPr", "<m:begChr m:val='['/>")


@pytest.mark.parametrize(
    ("equation", "text"),
    [
        (m("e", "A=25 m2"), "A=25 m2"),
        (m("f", m("num", "a+b"), m("den", "2")), "(a+b)/2"),
        (m("sSubSup", m("e", "x"), m("sub", "i"), m("sup", "n-1")), "x_i^(n-1)"),
        (m("rad", m("deg", "3"), m("e", "x+1")), "3√(x+1)"),
        (m("nary", SUM, m("sub", "i=1"), m("sup", "n"), m("e", "i")), "∑_(i=1)^n i"),
        (m("d", OPEN, m("e", "a"), m("e", "b")), "[a|b)"),
        (
            m("m", m("mr", m("e", "1"), m("e", "0")), m("mr", m("e", "0"), m("e", "1"))),
            "1, 0; 0, 1",
        ),
        (m("func", m("fName", "sin"), m("e", "x")) + m("new", "!"), "sin x!"),
    ],
)
def test_an_equation_is_a_readable_line(tmp_path: Path, equation: str, text: str) -> None:
    math = m("oMath", equation)
    body = par("Is ", math, ".") + m("oMathPara", math)
    assert opened(word(tmp_path / "a.docx", body)).text == f"Is {text}.\n\n{text}"


def test_title_author_and_dates_are_those_that_the_file_states(tmp_path: Path) -> None:
    core = (
        "<dc:title>The plan</dc:title><dc:creator>Ann Lee</dc:creator><dc:subject/>"
        "<keywords>one, two;</keywords><dcterms:created>2024-01-02T03:04:05Z</dcterms:created>"
        "<dcterms:modified>yesterday</dcterms:modified>"
    )
    document = opened(word(tmp_path / "a.docx", par("Text"), core))
    assert document.title == "The plan"
    assert document.metadata == {
        "author": "Ann Lee", "keywords": ["one", "two"], "created": "2024-01-02T03:04:05+00:00",
    }  # fmt: skip
    assert opened(word(tmp_path / "a.docx", par("Text"))).metadata == {}
    for title in ("Document1", "Microsoft Word - x.docx", "Slide 1", "PowerPoint Presentation"):
        core = f"<dc:title>{title}</dc:title>"
        assert opened(word(tmp_path / "a.docx", par("Text"), core)).title == "a.docx"


def test_what_is_not_read_of_a_file_is_told(tmp_path: Path) -> None:
    prompt = w("sdt", w("sdtPr", "<w:showingPlcHdr/>"), w("sdtContent", par("Click")))
    body = par("Text") + prompt + "<w:altChunk r:id='x'/><w:t>astray</w:t>"
    remarks: list[Remark] = []
    path = word(tmp_path / "a.docx", body)
    assert read_office(File(path, ReadOptions(), remarks.append), "a").text == "Text"
    assert {sentence.format(n=n) for sentence, n in remarks} == {
        "the prompts of empty fields are left out (1)",
        "documents inside are not read (1)",
        "letters of the text are not read (6)",
    }


def test_a_file_of_another_kind_says_which(tmp_path: Path) -> None:
    ole, box = b"\xd0\xcf\x11\xe0" + bytes(600), "EncryptedPackage".encode("utf-16-le")
    save = "open it in Office and save it as one"
    for content, says in (
        (ole, f"is a file of Office 97-2003, not a Word document: {save}"),
        (ole + box, "is encrypted: save it without a password"),
        (b"{\\rtf1 Text}", "is RTF, not"),
        (b"\xef\xbb\xbf\n<html>Text</html>", "is HTML or XML, not"),
        (b"", "is not a usable Word document: "),
    ):
        (tmp_path / "a.docx").write_bytes(content)
        [item] = read(tmp_path / "a.docx", ReadOptions())
        assert isinstance(item, Unreadable)
        assert item.reason.startswith(says)
    parts_file(
        tmp_path / "a.docx", "ppt/presentation.xml", {"ppt/presentation.xml": "<presentation/>"}
    )
    [item] = read(tmp_path / "a.docx", ReadOptions())
    assert "it has no document" in str(item)


MERGED = " hMerge='1'"


def test_slides_are_read_in_their_order_with_their_notes(tmp_path: Path) -> None:
    def texts(*lines: str) -> str:
        return "".join(f"<a:p><a:pPr/><a:r><a:t>{line}</a:t></a:r></a:p>" for line in lines)

    def shape(*lines: str, role: str = "body", more: str = "") -> str:
        about = f"<p:cNvPr {more}/><p:nvPr><p:ph type='{role}'/></p:nvPr>"
        return f"<p:sp><p:nvSpPr>{about}</p:nvSpPr><p:txBody>{texts(*lines)}</p:txBody></p:sp>"

    def slide(*shapes: str, show: str = "1") -> str:
        return f"<p:sld{SPACES} show='{show}'><p:spTree>{''.join(shapes)}</p:spTree></p:sld>"

    def row(*cells: str) -> str:
        bodies = ((cell, f"<a:txBody>{texts(cell)}</a:txBody>") for cell in cells)
        inner = (f"<a:tc{'' if cell else MERGED}>{body}</a:tc>" for cell, body in bodies)
        return f"<a:tr>{''.join(inner)}</a:tr>"

    table = f"<a:tbl>{row('Wide', '', 'c')}{row('a', 'b', 'c')}</a:tbl>"
    points = "".join(f"<dgm:pt><dgm:t>{texts(one)}</dgm:t></dgm:pt>" for one in ("Boss", "Staff"))
    ids = "".join(f"<p:sldId id='{n}' r:id='ppt/slides/slide{n}.xml'/>" for n in (2, 1))
    parts = {
        "ppt/presentation.xml": f"<p:presentation{SPACES}>{ids}</p:presentation>",
        "ppt/slides/slide1.xml": slide(f"<p:grpSp>{shape('Grouped')}</p:grpSp>", table, show="0"),
        "ppt/slides/slide2.xml": slide(
            shape("Title", role="title"),
            shape("one", "two"),
            shape("7", role="sldNum"),
            shape("unseen", more="hidden='1'"),
            "<dgm:relIds r:dm='ppt/data.xml'/>",
        ),
        "ppt/notes/notes2.xml": slide(shape("Say this."), shape("7", role="sldNum")),
        "ppt/data.xml": f"<dgm:dataModel{SPACES}>{points}</dgm:dataModel>",
    }
    assert opened(parts_file(tmp_path / "a.pptx", "ppt/presentation.xml", parts)).text == (
        "Title\n\none\ntwo\n\nBoss\nStaff\n\nNotes: Say this.\n\nGrouped\n\nWide | c\na | b | c"
    )


def test_old_fields_of_forms_show_what_was_chosen_and_a_heading_is_the_title(
    tmp_path: Path,
) -> None:
    def old(data: str) -> str:
        return w("r", f"<w:fldChar w:fldCharType='begin'><w:ffData>{data}</w:ffData></w:fldChar>")

    box = "<w:checkBox><w:default w:val='0'/>{}</w:checkBox>"
    entries = "<w:listEntry w:val='Paris'/><w:listEntry w:val='Ber\u00adlin'/>"
    end = w("r", "<w:fldChar w:fldCharType='end'/>")
    body = par(
        *("Married: ", old(box.format("<w:checked/>")), end, " Single: ", old(box.format("")), end),
        *(" City: ", old(f"<w:ddList><w:result w:val='1'/>{entries}</w:ddList>"), end),
    )
    heading = par("Annual ", "Report", properties="<w:pStyle w:val='T'/>")
    styles = "<w:style w:styleId='T'><w:name w:val='Title'/></w:style>"
    document = opened(word(tmp_path / "a.docx", body + heading, styles=styles))
    assert document.text == "Married: ☒ Single: ☐ City: Berlin\n\nAnnual Report"
    assert document.title == "Annual Report"

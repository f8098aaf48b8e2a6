"""Reads Word and PowerPoint files (Office Open XML): packed trees of XML.

What a person does not see is taken out of a tree first. All that is left is read, whatever it
stands in, so a tag that is unknown here hides no words. The letters that are left are counted, too,
and a file of which some are not read is named.

A small file can ask for any amount of memory. So what it unpacks to is counted, each part is read
once at most, and the parser refuses trees of more than 256 levels. Of a broken file the libraries
raise any exception.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterator
from contextlib import suppress
from datetime import datetime
from posixpath import join, normpath
from typing import Any
from zipfile import ZIP_DEFLATED, ZIP_STORED, ZipFile

from lxml import etree  # type: ignore[import-untyped] # it has no types

from graphrag_neo4j.documents.parts import BEGIN, END, mark_of, without_marks
from graphrag_neo4j.documents.text import TAG_BYTES, File, Remark, refuse_broken
from graphrag_neo4j.errors import InputError
from graphrag_neo4j.model.types import Document
from graphrag_neo4j.settings.reading import ReadOptions
from graphrag_neo4j.text.strings import legible

Element = Any  # of lxml
XML_PARSER = etree.XMLParser(resolve_entities=False, remove_comments=True, remove_pis=True)
OLE = b"\xd0\xcf\x11\xe0"  # begins a file of Office 97, and the wrapping of an encrypted file
ENCRYPTED = "EncryptedPackage".encode("utf-16-le")
OTHERS = {OLE: "a file of Office 97-2003", b"{\\rtf": "RTF", b"%PDF": "PDF", b"<": "HTML or XML"}
NO_TITLE = re.compile(
    r"(?i)(untitled|document|presentation|title|slide|folie|diapositive) ?\d*"
    r"|(\S+ ){0,2}powerpoint([ -]\S+)?|microsoft \w+ - .*"
)


KINDS = {
    ".docx": ("Word document", "document"),
    ".pptx": ("PowerPoint presentation", "presentation"),
}


def read_office(file: File, source: str) -> Document:
    """Reads the text of a Word or PowerPoint file in its final version.

    Insertions are read, deletions are not. A list item is a line, and so is a table row; all else
    is divided by blank lines. Text boxes, diagrams and notes are separate blocks after their
    paragraph, so that its sentences stay whole. A note begins with the mark at which it is cited,
    as "[1]"; footnotes and endnotes are counted together. Running heads, comments and the prompts
    of empty fields are left out.

    Slides, hidden ones too, stand in their order, each with its speaker notes after it; a shape is
    a block, and a paragraph in it is a line. Raises InputError for a file that is of another kind,
    encrypted or broken, has no text, or unpacks to more than the limit.
    """
    kind, main = KINDS[file.suffix]
    with file.path.open("rb") as opened:
        start = opened.read(100)
        if start.startswith(OLE) and ENCRYPTED in opened.read(file.options.max_bytes):
            raise InputError("is encrypted: save it without a password")
    for beginning, name in OTHERS.items():
        if start.lstrip(b"\xef\xbb\xbf \r\n\t").startswith(beginning):
            raise InputError(f"is {name}, not a {kind}: open it in Office and save it as one")
    with refuse_broken(kind), ZipFile(file.path) as packed:
        return _Reader(_Parts(packed, file.options), main).document(file, source)


# The parts of a file


class _Parts:
    """The parts of a packed file. Each can be taken once, so no small file gives a long text."""

    def __init__(self, packed: ZipFile, options: ReadOptions) -> None:
        self._packed, self._options, self._size, self._tags = packed, options, 0, 0
        parts = packed.infolist()
        self._named = {part.filename.replace("\\", "/").lower(): part for part in parts}

    def take(self, name: str | None) -> Element:
        """The tree of a part, or an empty one if there is no such part."""
        part = self._named.pop((name or "").lower(), None)
        if part is None:
            return etree.Element("none")
        if part.compress_type not in {ZIP_STORED, ZIP_DEFLATED}:
            raise InputError("is packed in another way than Office's: save it again in Office")
        self._size += part.file_size
        self._options.refuse_larger(self._size, "unpacks to")
        with self._packed.open(part) as opened:
            data = opened.read(part.file_size)  # it may hold more than it states
        self._tags += data.count(b"<") - data.count(b"</")
        self._options.refuse_larger(self._tags * TAG_BYTES, "has so many tags that it unpacks to")
        root = etree.fromstring(data, XML_PARSER)
        if root.getroottree().docinfo.doctype:
            raise ValueError("it has a document type definition")
        return root

    def related(self, name: str | None) -> dict[str, str]:
        """The names of the parts that a part refers to, by identifier and by kind."""
        folder, _, base = (name or "").rpartition("/")
        found = {}
        for link in self.take(join(folder, "_rels", f"{base}.rels")):
            if link.get("TargetMode") != "External":
                target = normpath(join("/", folder, link.get("Target", ""))).lstrip("/")
                found[link.get("Id", "")] = found[link.get("Type", "").rpartition("/")[2]] = target
        return found


def _name(element: Element) -> str:
    """The name of an element without its namespace, of which there are two for each."""
    return str(element.tag).rpartition("}")[2]


def _value(element: Element | None, name: str = "val") -> str:
    """An attribute in any namespace; "" if there is none."""
    items = () if element is None else element.items()
    return next((str(value) for key, value in items if key.endswith("}" + name)), "")


def _integer(element: Element | None, otherwise: int, name: str = "val") -> int:
    text = _value(element, name)
    return int(text) if text.isdecimal() and len(text) < 10 else otherwise


def _on(element: Element | None) -> bool:
    """Whether a switch is there and not off."""
    return element is not None and _value(element) not in {"0", "false", "off"}


def _all(root: Element, *names: str) -> list[Element]:
    return [*root.iter(*("{*}" + name for name in names))]


def _nearest(container: Element, names: Collection[str]) -> Iterator[Element]:
    """The elements of these names in the container, but none inside another of them."""
    stack = [*reversed(container)]
    while stack:
        element = stack.pop()
        if _name(element) in names:
            yield element
        else:
            stack.extend(reversed(element))


def _letters(root: Element) -> Counter[str]:
    return Counter(filter(str.isalpha, "".join(one.text or "" for one in _all(root, "t"))))


# What a person does not see

# What makes an element unseen. An empty <del> speaks of what it stands in. What is read of a ruby
# is its base. Stops of tabs are named as tabs are.
RUNNING = ("dt", "ftr", "hdr", "sldImg", "sldNum")  # the same on each slide
UNSEEN_ELEMENTS = {
    "del": ("{*}*",),
    "fld": (".[@type='slidenum']",),
    "moveFrom": ("{*}*",),
    "r": ("{*}rPr/{*}vanish",),
    "rt": (".",),
    "sdt": ("{*}sdtPr/{*}showingPlcHdr",),
    "sp": ("*/{*}cNvPr[@hidden='1']", *(f"*/{{*}}nvPr/{{*}}ph[@type='{it}']" for it in RUNNING)),
    "tabs": (".",),
    "tc": ("{*}tcPr/{*}cellDel", ".[@hMerge]"),
    "tr": ("{*}trPr/{*}del", "{*}trPr/{*}hidden"),
}


def _alternates(root: Element) -> Iterator[Element]:
    """All but the first choice that Office knows, or the fallback."""
    for alternates in _all(root, "AlternateContent"):
        seen = next(filter(_known, alternates), None)
        yield from (one for one in alternates if one is not seen)


def _known(choice: Element) -> bool:
    needed = choice.get("Requires", "").split()
    return all("schemas." in (choice.nsmap.get(prefix) or "") for prefix in needed)


def _instructions(root: Element) -> Iterator[Element]:
    """The texts in the instructions of fields. A field that does not end has none."""
    begun: list[list[Element]] = [[]]  # the texts in the instruction of a field, or around it
    for element in _all(root, "fldChar", "t"):
        kind = _value(element, "fldCharType")
        if kind == "begin":
            begun.append([])
        elif not kind:
            begun[-1].append(element)
        elif len(begun) > 1:
            texts = begun.pop()
            yield from texts if texts is not begun[-1] else ()
            if kind == "separate":
                begun.append(begun[-1])  # the result is a text of what is around


# What is read

LIST_ITEM = "\v"  # begins an item of a list; XML can't contain it
# Diagrams, which are named "relIds", and charts are separate parts.
BLOCKS = frozenset(("altChunk", "chart", "oMath", "p", "r", "relIds", "tbl", "textpath", "txBody"))
SIGNS = {"tab": "\t", "ptab": "\t", "br": "\n", "cr": "\n", "noBreakHyphen": "-"}
APART = frozenset(("drawing", "object", "pict"))
NOTES = {"footnoteReference": "footnotes", "endnoteReference": "endnotes"}
INLINE = frozenset((*SIGNS, *APART, *NOTES, "checkBox", "ddList", "oMath", "sym", "t"))
JOINED = tuple(f"{{*}}pPr/{{*}}rPr/{{*}}{mark}" for mark in ("del", "moveFrom", "vanish"))
MOST_STYLES = 10  # that one is based on
BODY = 9  # the level, from 0, that an outline has for all that is not a heading
CELL_SPACE = re.compile(rf"[^\S{BEGIN}{END}]+")  # without marks, which Python takes for it


class _Reader:
    """Reads the parts of one file."""

    def __init__(self, parts: _Parts, main: str) -> None:
        self._parts, self._main = parts, parts.related("")
        self._root = parts.take(self._main.get("officeDocument"))
        if _name(self._root) != main:
            raise ValueError(f"it has no {main}")
        self._related = related = parts.related(self._main.get("officeDocument"))
        styles = _all(parts.take(related.get("styles")), "style")
        self._styles = {_value(style, "styleId"): style for style in styles}
        hiding = {name: self._styled(one, "rPr/{*}vanish") for name, one in self._styles.items()}
        self._hiding = {name for name, switch in hiding.items() if _on(switch)}
        self._lists = _Lists(parts.take(related.get("numbering")))
        self._letters, self._left, self._cited = Counter[str](), Counter[str](), 0
        self._heading = ""  # the first title or heading of level 1
        self._apart: list[tuple[str, Element]] = []
        self._notes = {
            (kind, _value(note, "id")): note
            for kind in NOTES.values()
            for note in self._seen(parts.take(related.get(kind)))
        }

    def document(self, file: File, source: str) -> Document:
        """The document. Tells what is left out of it, and what got lost on the way."""
        blocks = self._word() if _name(self._root) == "document" else self._slides()
        marked = (block + LIST_ITEM * block.startswith(LIST_ITEM) for block in blocks if block)
        text = (
            "\n\n".join(marked).replace(f"{LIST_ITEM}\n\n{LIST_ITEM}", "\n").replace(LIST_ITEM, "")
        )
        lost = self._letters - Counter(filter(str.isalpha, without_marks(text).text))
        self._left["letters of the text are not read ({n})"] = lost.total()
        for sentence in +self._left:
            file.remark(Remark(sentence, self._left[sentence]))
        if not text:
            raise InputError("has no text")
        core = self._parts.take(self._main.get("core-properties"))
        stated = {_name(one): " ".join(one.text.split()) for one in core if one.text}
        keywords = re.split(r"\s*[,;]\s*", stated.get("keywords", ""))
        metadata: dict[str, Any] = {
            "author": stated.get("creator"),
            "subject": stated.get("subject"),
            "keywords": [*filter(None, keywords)],
        }
        for name in ("created", "modified"):
            with suppress(ValueError):
                metadata[name] = datetime.fromisoformat(stated.get(name, "")).isoformat()
        metadata = {name: value for name, value in metadata.items() if value}
        title = stated.get("title", "")
        title = self._heading if not title or NO_TITLE.fullmatch(title) else title
        text, parts = without_marks(legible(text.replace("\xa0", " ")))
        return Document(text, source, title, metadata, None, parts, None)

    def _word(self) -> Iterator[str]:
        root = self._seen(self._root)
        cited = {(NOTES[_name(one)], _value(one, "id")) for one in _all(root, *NOTES)}
        notes = [note for key, note in self._notes.items() if key in cited]
        self._letters = sum(map(_letters, (root, *notes)), Counter())
        return self._blocks(root)

    def _slides(self) -> Iterator[str]:
        slides = [self._related.get(_value(one, "id")) for one in _all(self._root, "sldId")]
        first = self._root.get("firstSlideNum", "")
        for number, name in enumerate(slides, int(first[:9]) if first.isdecimal() else 1):
            self._related, start = self._parts.related(name), mark_of(f"slide {number}")
            for part, before in ((name, ""), (self._related.get("notesSlide"), "Notes: ")):
                root = self._seen(self._parts.take(part))
                self._letters += _letters(root)
                texts = [*filter(None, self._blocks(root))]
                for text in [before + "\n".join(texts)] if before and texts else texts:
                    yield start + text
                    start = ""

    def _seen(self, root: Element) -> Element:
        """The tree without what a person does not see."""
        for find in (self._unseen, _alternates, _instructions):
            for one in [*find(root)]:
                if (parent := one.getparent()) is not None:
                    parent.remove(one)
        return root

    def _unseen(self, root: Element) -> Iterator[Element]:
        for one in _all(root, *UNSEEN_ELEMENTS):
            name = _name(one)
            unseen = any(_on(one.find(path)) for path in UNSEEN_ELEMENTS[name])
            self._left["the prompts of empty fields are left out ({n})"] += unseen and name == "sdt"
            if unseen or (name == "r" and self._hiding and self._hidden_by_style(one)):
                yield one

    def _hidden_by_style(self, run: Element) -> bool:
        paragraph = next(run.iterancestors("{*}p"), run)
        styles = run.find("{*}rPr/{*}rStyle"), paragraph.find("{*}pPr/{*}pStyle")
        hidden = any(_value(style) in self._hiding for style in styles)
        return hidden and run.find("{*}rPr/{*}vanish") is None

    def _styled(self, element: Element | None, path: str) -> Element | None:
        """A property of a paragraph or a style: its own, or that of the style it is based on."""
        for _ in range(MOST_STYLES):
            if element is None or (found := element.find("{*}" + path)) is not None:
                return None if element is None else found
            base = element.find("{*}pPr/{*}pStyle")
            element = self._styles.get(_value(element.find("{*}basedOn") if base is None else base))
        return None

    def _blocks(self, container: Element) -> Iterator[str]:
        """The blocks in a container, some of them empty, each with what stands apart after it."""
        for block in self._plain_blocks(container):
            yield block
            apart, self._apart = self._apart, []
            for mark, element in apart:
                first, *others = [*filter(None, self._blocks(element)), ""]
                yield from (f"{mark} {first}".strip(" "), *others)

    def _plain_blocks(self, container: Element) -> Iterator[str]:
        # Of paragraphs that go on in the next, since the mark between them is deleted.
        held, level = "", 0
        for element in _nearest(container, BLOCKS):
            name = _name(element)
            if name in {"p", "r"}:  # a run is one outside a paragraph
                text = self._line(element)
                goes_on = name == "r" or any(_on(element.find(path)) for path in JOINED)
                if text.strip() and (found := self._level(element)):
                    level = level or found
                    self._heading = self._heading or " ".join(text.split()) * (found == 1)
                label = "" if held or (goes_on and not text) else self._label(element)
                held += label + text if text.strip() else text
                if goes_on:
                    continue
            yield self._marked(held, level)
            held, level = "", 0
            if name == "tbl":
                yield from self._table(element)
            elif name != "p":
                yield self._lines(element, name)
        yield self._marked(held, level)

    def _marked(self, block: str, level: int) -> str:
        """A block, with the mark of a heading of this level before its first word."""
        block = block.strip(" \t\n")
        words = block.lstrip()
        if level and _name(self._root) == "document" and not block.startswith(LIST_ITEM):
            return block.removesuffix(words) + mark_of(words, level) + words
        return block

    def _level(self, paragraph: Element) -> int:
        """The level of a heading, 0 for no heading. The title of a file or a slide has level 1."""
        shape = next(paragraph.iterancestors("{*}sp"), None)
        holder = None if shape is None else shape.find("*/{*}nvPr/{*}ph")
        if holder is not None:
            return int(holder.get("type") in {"title", "ctrTitle"})
        style = self._styles.get(_value(paragraph.find("{*}pPr/{*}pStyle")))
        named = "" if style is None else _value(style.find("{*}name")).lower()
        level = _integer(self._styled(paragraph, "pPr/{*}outlineLvl"), BODY) + 1
        return 1 if named == "title" else level if level <= BODY else 0

    def _label(self, paragraph: Element) -> str:
        paths = ("numPr/{*}numId", "numPr/{*}ilvl", "outlineLvl")
        number, level, heading = (self._styled(paragraph, "pPr/{*}" + path) for path in paths)
        label = self._lists.label(_value(number), _integer(level, 0))
        return label and f"{LIST_ITEM if heading is None else ''}{label} "

    def _table(self, table: Element) -> Iterator[str]:
        """A row is a line. A table of one cell is only a frame."""
        rows = [[*_nearest(row, ("tc",))] for row in _nearest(table, ("tr",))]
        if sum(map(len, rows)) == 1:
            yield from (block for row in rows for cell in row for block in self._plain_blocks(cell))
            return
        cells = ([" ".join(self._plain_blocks(cell)) for cell in row] for row in rows)
        texts = ([CELL_SPACE.sub(" ", cell).strip(" ") for cell in row] for row in cells)
        yield "\n".join(" | ".join(row) for row in texts if any(row))

    def _lines(self, element: Element, name: str) -> str:
        """What a shape, an equation, a diagram or a chart says."""
        if name == "txBody":
            return "\n".join(filter(None, self._plain_blocks(element)))
        if name == "oMath":
            return _formula(element)
        self._left["documents inside are not read ({n})"] += name == "altChunk"
        part = self._related.get(_value(element, "dm") or _value(element, "id"))
        root = self._seen(self._parts.take(part if name in {"chart", "relIds"} else None))
        lines = [self._line(paragraph).strip() for paragraph in _all(root, "p")]
        labels = (one.text or "" for one in root.iterfind(".//{*}strCache/{*}pt/{*}v"))
        lines += element.get("string", ""), ", ".join(dict.fromkeys(labels))
        return "\n".join(filter(None, lines))

    def _line(self, paragraph: Element) -> str:
        """The text of a paragraph. What stands apart from it is kept for later."""
        pieces = []
        for element in _nearest(paragraph, INLINE):
            name = _name(element)
            if name in APART:
                self._apart.append(("", element))
            elif name in NOTES:
                pieces.append(self._citation(element, NOTES[name]))
            elif name in {"checkBox", "ddList"}:
                pieces.append(_chosen(element))
            else:
                pieces.append(_formula(element))
        return "".join(pieces)

    def _citation(self, reference: Element, kind: str) -> str:
        note = self._notes.pop((kind, _value(reference, "id")), None)
        if note is None:
            return ""
        own = _value(reference, "customMarkFollows") in {"1", "true"}
        self._cited += not own
        mark = "" if own else f"[{self._cited}]"
        self._apart.append((mark, note))
        return mark


# The numbers of lists

LONGEST_LABEL = 100  # characters
ROMAN = {1000: "m", 900: "cm", 500: "d", 400: "cd", 100: "c", 90: "xc", 50: "l", 40: "xl"}
ROMAN |= {10: "x", 9: "ix", 5: "v", 4: "iv", 1: "i"}


class _Lists:
    """The lists of a Word document, and the numbers that were given in them."""

    def __init__(self, root: Element) -> None:
        kinds = {_value(one, "abstractNumId"): one for one in root.iterfind("{*}abstractNum")}
        links = root.iterfind("{*}abstractNum/{*}styleLink")
        linked = {_value(link): link.getparent() for link in links}
        self._lists: dict[str, tuple[Element, dict[int, Element]]] = {}
        self._starts: dict[tuple[str, int], int] = {}  # of lists that do not go on with another's
        self._counts: dict[Element, dict[int, int]] = defaultdict(dict)
        for one in root.iterfind("{*}num"):
            kind = kinds.get(_value(one.find("{*}abstractNumId")), one)
            kind = linked.get(_value(kind.find("{*}numStyleLink")), kind)
            levels = *kind.iterfind("{*}lvl"), *one.iterfind("{*}lvlOverride/{*}lvl")
            nine = {n: level for level in levels if (n := _integer(level, 0, "ilvl")) < 9}
            self._lists[_value(one, "numId")] = kind, nine
            for start in one.iterfind("{*}lvlOverride/{*}startOverride"):
                level = _integer(start.getparent(), 0, "ilvl")
                self._starts[_value(one, "numId"), level] = _integer(start, 0)

    def label(self, name: str, level: int) -> str:
        """The bullet or the next number of a list; "" if there is none."""
        kind, levels = self._lists.get(name, (None, {}))
        if level not in levels:
            return ""
        counts, own = self._counts[kind], levels[level]
        for other, one in levels.items():
            if other < level:
                counts.setdefault(other, _integer(one.find("{*}start"), 0))
            elif level < _integer(one.find("{*}lvlRestart"), other):
                counts.pop(other, None)
        first = self._starts.pop((name, level), None)
        follows = counts.get(level, _integer(own.find("{*}start"), 0) - 1) + 1
        counts[level] = follows if first is None else first
        forms = {n: _value(one.find(".//{*}numFmt")) for n, one in levels.items()}
        if forms[level] == "bullet":
            return "-"
        if _on(own.find("{*}isLgl")):
            forms = {}

        def number(found: re.Match[str]) -> str:
            of = int(found[1]) - 1
            return _numeral(counts.get(of, 0), forms.get(of, "decimal"))

        text = _value(own.find("{*}lvlText"))[:LONGEST_LABEL]
        return re.sub("%([1-9])", number, text).strip()


def _numeral(number: int, form: str) -> str:
    """A number in a form of Word's; a form that is unknown here is decimal."""
    text = f"{number:02}" if form == "decimalZero" else f"{number}"
    if form.endswith("Letter") and 0 < number < 1000:
        text = chr(ord("a") + (number - 1) % 26) * ((number + 25) // 26)
    elif form.endswith("Roman") and 0 < number < 4000:
        text = ""
        for value, sign in ROMAN.items():
            text, number = text + sign * (number // value), number % value
    return text.upper() if form.startswith("upper") else text


# Signs and equations

# In a text, the characters of fonts of symbols have codes for private use.
GREEK = "ΑΒΧΔΕΦΓΗΙϑΚΛΜΝΟΠΘΡΣΤΥςΩΞΨΖ[∴]⊥_‾αβχδεφγηιϕκλμνοπθρστυϖωξψζ{|}∼"
MORE = "€ϒ′≤⁄∞ƒ♣♦♥♠↔←↑→↓°±″≥×∝∂•÷≠≡≈…⏐⎯↵ℵℑℜ℘⊗⊕∅∩∪⊃⊇⊄⊂⊆∈∉∠∇®©™∏√⋅¬∧∨⇔⇐⇑⇒⇓◊〈®©™∑"
SYMBOL = f" !∀#∃%&∍()∗+,−./0123456789:;<=>?≅{GREEK}{'•' * 33}{MORE}"
WINGDINGS = str.maketrans(
    "\uf04a\uf06f\uf078\uf0a8\uf0df\uf0e0\uf0fb\uf0fc\uf0fd\uf0fe", "☺☐☒☐←→✗✓☒☑"
)
FONTS: dict[str, dict[int, Any]] = {
    "Symbol": dict(enumerate(SYMBOL, 0xF020)),
    "Wingdings": WINGDINGS,
}
PRIVATE = re.compile("[\uf000-\uf0ff]")
SIGNED = {"num": "", "den": "/", "lim": "_", "sub": "_", "sup": "^"}
BRACKETS = (("begChr", "("), ("sepChr", "|"), ("endChr", ")"))
BETWEEN = {"eqArr": "; ", "func": " ", "m": "; ", "mr": ", "}
BEFORE = {"nary": " ", "rad": "√"}  # what the sign is of


def _sign(font: str, text: str) -> str:
    """A text in a font of symbols; a symbol that is unknown here is a dot."""
    return PRIVATE.sub("•", text.translate(FONTS.get(font, {})))


def _chosen(field: Element) -> str:
    """What an old field of a form shows: whether it is ticked, or the entry that was chosen."""
    stated = [field.find("{*}" + name) for name in ("checked", "result", "default")]
    first = next((one for one in stated if one is not None), None)
    if _name(field) == "checkBox":
        return "☒" if _on(first) else "☐"
    entries = [_value(entry) for entry in field.iterfind("{*}listEntry")]
    return "".join(entries[_integer(first, 0) :][:1])


def _formula(element: Element) -> str:
    """The text of a run or an equation in a line: "(a+b)/c", "x^2", "√(x+1)", "∑_(i=1)^n x"."""
    name = _name(element)
    if name in SIGNS:
        return SIGNS[name]
    if name == "t":
        font = _value(element.getparent().find("{*}rPr/{*}rFonts"), "ascii")
        return _sign(font, re.sub(r"\s*\n\s*", " ", element.text or ""))
    if name == "sym":
        char = _value(element, "char")
        code = int(char, 16) if re.fullmatch("[0-9A-Fa-f]{1,4}", char) else 0
        return _sign(_value(element, "font"), chr(code if code > 0xFF else code | 0xF000))
    about = element.find(f"{{*}}{name}Pr")
    parts = [(_name(child), text) for child in element if (text := _formula(child))]
    if name == "d":
        begin, between, end = (_stated(about, *one) for one in BRACKETS)
        return begin + between.join(text for _, text in parts) + end
    signed = SIGNED | ({"e": BEFORE[name]} if name in BEFORE else {})
    pieces = [signed[of] + _grouped(text) if of in signed else text for of, text in parts]
    return (_stated(about, "chr", "∫") if name == "nary" else "") + BETWEEN.get(name, "").join(
        pieces
    )


def _grouped(text: str) -> str:
    return text if re.fullmatch(r"[\w.]+|.", text) else f"({text})"


def _stated(about: Element | None, name: str, otherwise: str) -> str:
    found = None if about is None else about.find("{*}" + name)
    return otherwise if found is None else _value(found)

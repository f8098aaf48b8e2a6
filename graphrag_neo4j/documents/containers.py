"""Reads files that hold pages: e-mails, books (epub) and notebooks (ipynb).

Each may be broken in any way, and makes the libraries raise any exception then.
"""

import json
import posixpath
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from email import message_from_bytes
from email.errors import HeaderParseError
from email.header import decode_header
from email.message import Message
from email.utils import parsedate_to_datetime
from typing import Any
from urllib.parse import unquote
from zipfile import ZipFile

from bs4 import BeautifulSoup

from graphrag_neo4j.documents.html import STATED_DATE, decoded, parsed, read_page
from graphrag_neo4j.documents.markdown import document_of
from graphrag_neo4j.documents.packed import unpacked
from graphrag_neo4j.documents.parts import PartedText, joined
from graphrag_neo4j.documents.text import File, refuse_broken
from graphrag_neo4j.errors import InputError
from graphrag_neo4j.model.types import Document

MAIL_HEADERS = ("From", "To", "Cc", "Date")
SCRAMBLED_FONTS = ("http://www.idpf.org/2008/embedding", "http://ns.adobe.com/pdf/enc#RC")
BOOK = {"title": "title", "author": "creator", "date": "date", "language": "language"}
STUB = 3  # times as long is a page for which the plain text only stands in
FENCE = "`" * 40  # longer than any in code
COLOURS = re.compile(r"\x1b\[[\d;]*m")


def read_container(file: File, source: str) -> Document:
    """Reads an e-mail, a book or a notebook.

    Raises InputError for one that is broken, has no text, or unpacks to more than the limit.
    """
    kind, read = CONTAINER_READERS[file.suffix]
    with refuse_broken(kind):
        document = read(file, source)
    if not document.text.strip():
        raise InputError("has no text")
    return document


# E-mails


def _mail(file: File, source: str) -> Document:
    """The sender, the receivers, the date and the text; the title is the subject."""
    file.options.refuse_larger(file.path.stat().st_size, "holds")
    mail = message_from_bytes(file.path.read_bytes())
    left: list[Message] = []
    text, parts = _letter(mail, file, left)
    file.tell(len(left), "{n} attachments are not read: save them as files")
    sender = _header(mail, "From")
    metadata = {"author": sender.partition("<")[0].strip(' "') or sender.strip("<> ")}
    with suppress(ValueError, TypeError, IndexError, OverflowError):  # it is shown as it is
        metadata["date"] = parsedate_to_datetime(_header(mail, "Date")).isoformat()
    title, metadata = _header(mail, "Subject"), {name: one for name, one in metadata.items() if one}
    return Document(text, source, title, metadata, None, parts, None)


def _letter(mail: Message, file: File, left: list[Message], *names: str) -> PartedText:
    """What a mail program shows; `left` gets the attachments."""
    said = ((name, _header(mail, name)) for name in (*names, *MAIL_HEADERS))
    head = "\n".join(f"{name}: {value}" for name, value in said if value)
    return joined([PartedText(head), _body(mail, file, left)])


def _header(mail: Message, name: str) -> str:
    raw = next((value for one, value in mail.raw_items() if one.lower() == name.lower()), "")
    header = _decoded(str(raw).encode("utf-8", "surrogateescape"))
    try:
        parts = decode_header(header)
    except HeaderParseError:  # one that was cut
        parts = [(header, None)]
    texts = (one if isinstance(one, str) else _decoded(one, charset) for one, charset in parts)
    return " ".join("".join(texts).split())


def _body(part: Message, file: File, left: list[Message]) -> PartedText:
    """The text of a part of an e-mail, with that of a letter that is forwarded in it."""
    kind = part.get_content_type()
    if part.is_multipart():
        inside = [one for one in part.get_payload() if isinstance(one, Message)]
        if kind == "message/rfc822":
            return joined(_letter(one, file, left, "Subject") for one in inside)
        texts = [found for one in inside if (found := _body(one, file, left)).text]
        if kind == "multipart/alternative":  # the first is plain text, or says that it is none
            plain = len(texts[0].text) * STUB if texts else 0
            return max(texts, key=lambda one: len(one.text) - plain, default=PartedText(""))
        return joined(texts)
    if kind not in {"text/plain", "text/html"} or part.get_content_disposition() == "attachment":
        in_text = part.get("Content-ID") and kind.startswith("image/")
        attached = part.get_content_disposition() == "attachment" or not in_text
        if attached and not kind.endswith("signature"):
            left.append(part)
        return PartedText("")
    data = part.get_payload(decode=True)
    text = _decoded(data if isinstance(data, bytes) else b"", part.get_content_charset())
    if kind == "text/html":
        page = read_page(text, file.options)
        return PartedText(page.text, page.parts)
    text = text.replace("\r\n", "\n").strip()
    if str(part.get_param("format")).lower() == "flowed":  # a line that ends with a blank goes on
        text = re.sub(r"(?m)(?<!^--) \n(?!>)", " ", text)
    return PartedText(text)


def _decoded(data: bytes, charset: str | None = None) -> str:
    return decoded(data, charset) or data.decode("cp1252", "replace")


# Books


def _book(file: File, source: str) -> Document:
    """The chapters in their order, without the table of contents."""
    with ZipFile(unpacked(file, ".xml", ".opf", ".xhtml", ".html", ".htm", ".svg")) as parts:
        names = set(parts.namelist())

        def part(name: str) -> str:
            data = parts.read(name)
            return decoded(data) or data.decode("utf-8", "replace")

        locks = part("META-INF/encryption.xml") if "META-INF/encryption.xml" in names else ""
        for method in parsed(locks, file.options).find_all(_tag("encryptionmethod")):
            if not str(method.get("algorithm")).startswith(SCRAMBLED_FONTS):
                raise InputError("is protected against copying (DRM): only its reader can read it")
        container = parsed(part("META-INF/container.xml"), file.options).find(_tag("rootfile"))
        place = str(container["full-path"]) if container else ""
        package = parsed(part(place), file.options)
        chapters = dict.fromkeys(_chapters(package, posixpath.dirname(place)))
        pages = [read_page(part(one), file.options) for one in chapters if one in names]
    file.tell(len(chapters) - len(pages), "{n} chapters are missing")
    about = {
        name: [" ".join(one.get_text().split()) for one in package.find_all(_tag(theirs))]
        for name, theirs in BOOK.items()
    }
    dates = [one for one in about["date"] if re.fullmatch(STATED_DATE, one)]
    metadata = {"author": ", ".join(about["author"]), "date": "".join(dates[:1])}
    metadata["language"] = "".join(about["language"][:1])
    metadata = {name: one for name, one in metadata.items() if one}
    whole = joined(PartedText(one.text, one.parts) for one in pages)
    titles = filter(None, [*about["title"], *(one.title for one in pages)])
    title = next(titles, "")
    return Document(whole.text, source, title, metadata, None, whole.parts, None)


def _chapters(package: BeautifulSoup, folder: str) -> Iterator[str]:
    """The names of the parts that are read, in their order."""
    items = {item.get("id"): item for item in package.find_all(_tag("item"))}
    contents = package.find(_tag("reference"), type="toc")
    toc = str(contents.get("href")) if contents else ""  # with a "#", it is a part of a chapter
    for reference in package.find_all(_tag("itemref")):
        item = items.get(reference.get("idref"))
        if item and item.get("href") != toc and "nav" not in str(item.get("properties")).split():
            name = unquote(str(item.get("href")))
            yield posixpath.normpath(posixpath.join(folder, name))


def _tag(name: str) -> re.Pattern[str]:
    """A tag with any prefix of a namespace."""
    return re.compile(rf"^(\w+:)?{name}$")


# Notebooks


def _notebook(file: File, source: str) -> Document:
    """The text of the cells, and code with its results, as one page of Markdown."""
    notebook = json.loads(file.text_to_parse())
    sheets = notebook.get("worksheets") or [notebook]  # before nbformat 4
    blocks = (block for sheet in sheets for cell in sheet["cells"] for block in _blocks(cell))
    return document_of("\n\n".join(blocks), file, source)


def _blocks(cell: Mapping[str, Any]) -> Iterator[str]:
    """The Markdown of a cell, and of the results of code."""
    kind, text = cell["cell_type"], _joined(cell.get("source", cell.get("input")))
    if kind == "heading":
        yield f"{'#' * cell['level']} {text}"
    elif kind != "code":
        yield text
    else:
        yield _fenced(text)
        for output in cell.get("outputs", ()):
            data = output.get("data", output)
            said = _joined(data.get("text/plain", data.get("text", output.get("traceback"))))
            if said.startswith("<IPython"):  # what it stands for is a page or Markdown
                yield _joined(data.get("text/markdown", data.get("text/html")))
            elif not any(one.startswith(("image/", "png")) for one in data):
                yield _fenced(COLOURS.sub("", said))


def _joined(lines: Any) -> str:  # noqa: ANN401 - a text or its lines
    if isinstance(lines, str):
        return lines
    ended = bool(lines) and lines[0].endswith("\n")
    return ("" if ended else "\n").join(lines or ())  # in old ones, without line ends


def _fenced(text: str) -> str:
    return f"{FENCE}\n{text.strip()}\n{FENCE}" if text.strip() else ""


CONTAINER_READERS: Mapping[str, tuple[str, Callable[[File, str], Document]]] = {
    ".eml": ("e-mail", _mail),
    ".epub": ("book", _book),
    ".ipynb": ("notebook", _notebook),
}
"""By suffix: what it is called, and its reader."""

"""PDF: the text of its pages, as far as it holds text."""

import logging
import zlib
from datetime import datetime
from pathlib import Path

from pypdf import DocumentInformation, PdfReader
from pypdf.errors import DependencyError, DeprecationError, FileNotDecryptedError, PyPdfError

from graphrag_neo4j.errors import InputError
from graphrag_neo4j.model import Scalar
from graphrag_neo4j.reading.text import Content

__all__ = ["pdf"]

# pypdf logs what it finds odd, and Python prints what is logged if nobody has set up logging.
logging.getLogger("pypdf").addHandler(logging.NullHandler())

# "Broken PDF files might cause other Exceptions", says pypdf; these it raised for mutated files.
BROKEN = (
    PyPdfError,
    DeprecationError,
    ArithmeticError,
    AssertionError,
    AttributeError,
    LookupError,
    RuntimeError,
    TypeError,
    ValueError,
    zlib.error,
)


def pdf(path: Path) -> Content:
    """The text of the pages, blank lines between them; title, author and date if it has them.

    Raises InputError for a file that is encrypted, broken, or has no text, like a scan.
    """
    try:
        reader = PdfReader(path)
        text = "\n\n".join(page.extract_text().strip() for page in reader.pages)
        title, metadata = _about(reader.metadata or DocumentInformation())
    except FileNotDecryptedError as error:
        raise InputError("is encrypted: save it without a password") from error
    except DependencyError as error:
        raise InputError(f'is encrypted: pip install "graphrag-neo4j[docs]" ({error})') from error
    except BROKEN as error:
        raise InputError(f"is no usable PDF: {error}") from error
    if not text.strip():
        raise InputError("has no text, only images perhaps: run text recognition (OCR) on it")
    return Content(text, title, metadata)


def _about(info: DocumentInformation) -> tuple[str, dict[str, Scalar]]:
    found = {"author": str(info.author or "").strip(), "created": _created(info)}
    return str(info.title or "").strip(), {name: value for name, value in found.items() if value}


def _created(info: DocumentInformation) -> str:
    try:
        date: datetime | None = info.creation_date
    except ValueError:  # many programs write dates of their own making
        return ""
    return date.isoformat() if date else ""

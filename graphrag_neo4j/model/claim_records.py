"""Makes the fields of a record, from a reply or a table, into a claim."""

import re
from collections.abc import Sequence
from datetime import date, datetime

from graphrag_neo4j.model import ClaimRecord
from graphrag_neo4j.text import clean_name, fold

__all__ = ["CLAIM_FIELDS", "claim_record"]

CLAIM_FIELDS = 8
STATUSES = frozenset({"TRUE", "FALSE", "SUSPECTED"})
NONE = frozenset({"", "none", "null", "n/a", "na", "unknown", "-"})
PARTIAL_DATE = re.compile(r"[0-9]{4}(-(0[1-9]|1[0-2]))?")


def claim_record(fields: Sequence[str], unusable: list[str]) -> ClaimRecord | None:
    """The claim of these fields: subject, object, type, status, start, end, description, source.

    Returns None where they do not make a claim. The reason, and each field that was unreadable, is
    added to `unusable`.
    """
    if len(fields) < CLAIM_FIELDS:
        unusable.append("claim with too few fields")
        return None
    subject, object_, type_, status, start, end, description, source_text = fields
    subject, object_ = clean_name(subject), clean_name(object_)
    if not subject or not description:
        unusable.append("claim without a subject or a description")
        return None
    return ClaimRecord(
        subject=subject,
        object=None if object_.casefold() in NONE else object_,
        type=fold(type_).upper(),
        status=_status(status, unusable),
        start_date=_date(start, unusable),
        end_date=_date(end, unusable),
        description=description,
        source_text=source_text,
    )


def _status(text: str, unusable: list[str]) -> str | None:
    status = text.strip().upper()
    if status in STATUSES:
        return status
    unusable.append("claim with an unreadable status")
    return None


def _date(text: str, unusable: list[str]) -> str | None:
    """The date in ISO 8601, as precise as it was given: a year, a month or a day."""
    if text.casefold() in NONE:
        return None
    if PARTIAL_DATE.fullmatch(text) and text[:4] != "0000":
        return text
    try:
        return date.fromisoformat(text).isoformat()
    except ValueError:
        pass
    try:
        return datetime.fromisoformat(text).date().isoformat()
    except ValueError:
        unusable.append("claim with an unreadable date")
        return None

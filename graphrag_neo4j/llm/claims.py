"""Turns the records of a model's reply into claims."""

import re

from graphrag_neo4j.llm.gleaning import Gleaning
from graphrag_neo4j.llm.replies.signs import holds_delimiter
from graphrag_neo4j.model import Claims
from graphrag_neo4j.model.claim_records import CLAIM_FIELDS, claim_record
from graphrag_neo4j.text import clean_name

__all__ = ["claims_of"]

ITEM = re.compile(r"\d{1,4}[.)]")  # the number of an item of a list
NAMES = 3  # fields before the status: the subject, the object and the type


def claims_of(gleaned: Gleaning) -> Claims:
    """Returns the claims in the records, and a reason for each record that can't be used."""
    unusable = list(gleaned.odd)
    claims = [
        claim for record in gleaned.records if (claim := claim_record(_fields(record), unusable))
    ]
    return Claims(claims, gleaned.cut, unusable)


def _fields(record: list[str]) -> list[str]:
    """Returns the eight fields of a claim.

    Fewer are returned where a delimiter is damaged. A leading field "claim" or "1." is dropped.
    Fields beyond the eighth are part of the last one, the source text.
    """
    is_before_subject = clean_name(record[0]).casefold() == "claim" or ITEM.fullmatch(record[0])
    fields = record[1:] if is_before_subject else record
    if len(fields) < CLAIM_FIELDS or any(map(holds_delimiter, fields[:NAMES])):
        return fields[: CLAIM_FIELDS - 1]
    return [*fields[: CLAIM_FIELDS - 1], "<|>".join(fields[CLAIM_FIELDS - 1 :])]

"""From records to claims."""

from graphrag_neo4j.claim_records import CLAIM_FIELDS, claim_record
from graphrag_neo4j.llm.gleaning import Gleaning
from graphrag_neo4j.model import Claims
from graphrag_neo4j.text import clean_name

__all__ = ["claims_of"]


def claims_of(passes: Gleaning) -> Claims:
    """What the records of a reading claim; a reason for each that can't be used."""
    unusable = list(passes.odd)
    claims = [
        claim for record in passes.records if (claim := claim_record(_fields(record), unusable))
    ]
    return Claims(claims, passes.cut, unusable)


def _fields(record: list[str]) -> list[str]:
    """Eight fields: a leading kind is dropped, what is too many belongs to the source text."""
    fields = record[1:] if clean_name(record[0]).casefold() == "claim" else record
    if len(fields) < CLAIM_FIELDS:
        return fields
    return [*fields[: CLAIM_FIELDS - 1], "<|>".join(fields[CLAIM_FIELDS - 1 :])]

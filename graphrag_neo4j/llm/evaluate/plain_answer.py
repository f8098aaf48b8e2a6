"""Removes the citations of an answer, so that a judge does not see which system wrote it.

Systems cite in different forms: `[Data: Reports (3)]`, `[^1]`, `[2, 4]`, `[KG] report.pdf`, a list
of references at the end. A form that we do not know stays in the text.
"""

import re

from graphrag_neo4j.model.citations import rewrite

__all__ = ["plain_answer"]

NUMBERS = r"\^?\d{1,4}(?:\s{0,2}[,;–-]\s{0,2}\^?\d{1,4}){0,50}"
CITED = re.compile(
    rf"\[{NUMBERS}\](?:\([^()\s]{{1,500}}\))?|"  # [1], [^1], [1, 2], and [1](https://…)
    r"\[(?:KG|DC|KB|sources?|references?|refs?|chunks?|documents?|docs?|reports?)"
    r"(?:[\s:#][^\[\]\n]{0,200})?\]|"
    rf"\((?:sources?|references?|refs?)(?::[^()\n]{{1,200}}|\s{{1,2}}#?{NUMBERS})\)|"
    r"【[^【】\n]{0,80}†[^【】\n]{0,80}】",
    re.IGNORECASE,
)
# A heading above a list of references, in the languages in which citations are read, too.
HEADING = re.compile(
    r"[#*_\s]{0,12}(?:references|sources|citations|bibliography|quellen|références|referencias|"
    r"参考文献|来源|出典)[*_:：\s]{0,12}",
    re.IGNORECASE,
)
REFERENCE = re.compile(r"\s{0,12}(?:[-*•]\s|\[|\d{1,4}[.)]\s)")
FOOTNOTE = re.compile(r"^[ \t]{0,3}\[\^?\d{1,4}\]:.*$", re.MULTILINE)
GAP = re.compile(r"(?<=\S)[ \t]{1,4}(?=[.,;:!?。，；：！？](?:\s|$))")
SPACES = re.compile(r"(?<=\S) {2,}(?=\S)")


def plain_answer(text: str) -> str:
    """Returns an answer without its citations, trimmed.

    >>> plain_answer("Rich [Data: Entities (5)]. Dead [2].\\n\\n### References\\n- [2] carol.txt")
    'Rich. Dead.'
    """
    cited = rewrite(_without_references(text), lambda *_: None)
    return SPACES.sub(" ", GAP.sub("", CITED.sub("", FOOTNOTE.sub("", cited)))).strip()


def _without_references(text: str) -> str:
    """Returns a text without a list of references at its end. A heading above prose stays."""
    lines = text.splitlines()
    for number in range(len(lines) - 1, -1, -1):
        line = lines[number]
        if HEADING.fullmatch(line):
            return "\n".join(lines[:number])
        if line.strip() and not REFERENCE.match(line):
            return text
    return text

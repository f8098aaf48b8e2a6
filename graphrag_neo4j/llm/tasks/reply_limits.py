"""The limit of each reply in tokens, from the length that its step asks for.

The limits end the replies of models that repeat themselves without an end. A good reply does not
reach them: they leave room for languages with several tokens in a word, for citations, and for
models that write more than they are asked for.
"""

from collections.abc import Mapping
from typing import Final

from graphrag_neo4j.model.types import DESCRIPTION_TOKENS, Step
from graphrag_neo4j.settings import Settings

TOKENS_OF_A_WORD: Final = 4
RECORDS_OF_A_TOKEN: Final = 5  # tokens of records that one token of a chunk can lead to
MARGIN: Final = 1000
ONE_WORD: Final = 100
REPORT_WORDS: Final = 1500
PRIMER: Final = 2000  # one or two paragraphs, and five questions
ANSWER: Final = 8000  # some ten pages; the user is told if an answer is cut off there
LIMITS: Final[Mapping[Step, int]] = {
    "names": 2000,  # twenty pairs with a reason each
    "map": 4000,  # points of a map call, or one answer of several paragraphs
    "rating": 1000,  # ids of reports, or the name of a method
    "answer": ANSWER,
    "judge": 2000,  # some paragraphs of reasons
    "answer_claims": 6000,  # the claims of ten sentences, or these sentences once more
}


def reply_limit(step: Step, settings: Settings) -> int:
    """Returns the largest number of tokens of one reply of a step."""
    match step:
        case "extraction" | "claims":
            return RECORDS_OF_A_TOKEN * settings.chunk_size + MARGIN
        case "summary":
            return TOKENS_OF_A_WORD * DESCRIPTION_TOKENS + MARGIN
        case "report":
            return TOKENS_OF_A_WORD * REPORT_WORDS + MARGIN
        case _:
            return LIMITS[step]


def shared_limit(words: int) -> int:
    """Returns the largest number of tokens of a reply with several texts of so many words."""
    return min(TOKENS_OF_A_WORD * words + MARGIN, ANSWER)

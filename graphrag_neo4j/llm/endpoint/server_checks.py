"""Finds out whether a model server reads a long prompt whole.

Some servers silently cut off the beginning of a prompt that exceeds their context window, and the
instructions stand there. So a prompt as long as the longest ones begins with a code word, and asks
for it at its end.
"""

from dataclasses import dataclass
from typing import Final, Literal

from graphrag_neo4j.errors import ReplyError
from graphrag_neo4j.llm.endpoint import Endpoint
from graphrag_neo4j.llm.endpoint.errors import REFUSED
from graphrag_neo4j.model.types import Message, Request, Step
from graphrag_neo4j.settings import Settings
from graphrag_neo4j.text import tokens

INSTRUCTIONS: Final = 1_500  # tokens of a prompt around its context
EXTRACTION: Final = 4_000  # tokens of the prompt for extraction around a chunk, with one reply
RATED: Final = 2_000  # tokens of the titles and summaries of the reports that one call rates
JUDGED: Final = 4_000  # tokens of a question and two long answers
REPLY: Final = 2_000  # tokens that a reply needs in the same window
CODE_WORD: Final = "heron-4821"
ANSWER_TOKENS: Final = 50
SHORT: Final = 100  # tokens of the prompt that shows whether the model can do this at all
RECEIVED: Final = 0.7  # share of the tokens that our count and the endpoint's may differ by
LINE: Final = "Line {} of this text is only there to make it long.\n"


@dataclass(frozen=True, slots=True)
class WindowTest:
    """The result for a prompt of `sent` tokens.

    `verdict`: the endpoint read the prompt whole, cut off its beginning, or refused it; or the
    model is not able to find a word in any text, so that nothing is shown. `received` is the number
    of tokens that the endpoint reports, None if it reports none. `error` is that of a refusal.
    """

    verdict: Literal["whole", "cut", "refused", "unclear"]
    sent: int
    received: int | None = None
    error: str = ""

    @property
    def problem(self) -> str:
        """What is wrong, as the end of a sentence, for the verdicts "cut" and "refused"."""
        if self.verdict == "refused":
            return f"it refuses a prompt of {self.sent:,} tokens: {self.error}."
        got = f" It reports {self.received:,} tokens." if self.received is not None else ""
        return (
            f"it silently cut off the beginning of a prompt of {self.sent:,} tokens.{got} The "
            "instructions of a prompt stand there."
        )

    @property
    def fix(self) -> str:
        """What to do about a context window that is too small."""
        return (
            f"Let the server keep a context window of at least {self.sent + REPLY:,} tokens "
            "(Ollama: OLLAMA_CONTEXT_LENGTH; llama.cpp: --ctx-size; vLLM: --max-model-len; LM "
            "Studio: the context length of the model), or lower "
            "KG_REPORT_CONTEXT_TOKENS, KG_MAP_CONTEXT_TOKENS and KG_MAX_CONTEXT_TOKENS."
        )


def needed_window(settings: Settings, steps: frozenset[Step]) -> int:
    """Returns the tokens of the longest prompt of some steps."""
    reading = settings.chunk_size + EXTRACTION
    writing = settings.report_context_tokens + INSTRUCTIONS
    answer = max(settings.map_context_tokens, settings.max_context_tokens) + INSTRUCTIONS
    judging = JUDGED + INSTRUCTIONS
    sizes: dict[Step, int] = {
        "extraction": reading,
        "claims": reading,
        "names": writing,
        "summary": writing,
        "report": writing,
        "map": answer,
        "answer": answer,
        "rating": RATED + INSTRUCTIONS,
        "judge": judging,
        "answer_claims": judging,
    }
    return max(sizes[step] for step in steps)


async def try_window(endpoint: Endpoint, step: Step, size: int) -> WindowTest:
    """Sends the model of a step a prompt of about `size` tokens, and a short one if it is unclear.

    Raises ModelError where no call can succeed, and ReplyError where this call failed.
    """
    text = _prompt(size)
    sent = tokens.count(text)
    try:
        found = await _finds(endpoint, step, text)
    except ReplyError as error:
        if not str(error).startswith(REFUSED):
            raise
        return WindowTest("refused", sent, error=str(error))
    received = endpoint.known_of(step).reported
    if found:
        return WindowTest("whole", sent, received)
    if received is None or received >= RECEIVED * sent:
        able = await _finds(endpoint, step, _prompt(SHORT))
        return WindowTest("cut" if able and received is None else "unclear", sent, received)
    return WindowTest("cut", sent, received)


async def _finds(endpoint: Endpoint, step: Step, text: str) -> bool:
    reply = await endpoint.ask(Request(step, (Message("user", text),), ANSWER_TOKENS))
    return CODE_WORD in reply.text


def _prompt(size: int) -> str:
    sample = "".join(LINE.format(number) for number in range(101, 201))
    lines = max(1, 100 * size // tokens.count(sample))
    middle = "".join(LINE.format(number) for number in range(1, lines + 1))
    return (
        f"The code word is {CODE_WORD}.\n{middle}"
        "What is the code word that stands at the beginning of this text? Reply with the code word "
        "alone."
    )

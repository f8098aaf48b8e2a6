"""Asks a model whether the passages that a sentence cites say what the sentence says.

The sentence and the passages are text of others. They stand between marks that no text can forge.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Self

from graphrag_neo4j.context.citations import neutralised
from graphrag_neo4j.errors import ReplyError
from graphrag_neo4j.ids import identify
from graphrag_neo4j.llm.evaluation.schemas import Support, SupportSchema
from graphrag_neo4j.llm.prompts import load_prompt, marked
from graphrag_neo4j.llm.replies.json_builder import TWICE
from graphrag_neo4j.llm.reply_limits import reply_limit
from graphrag_neo4j.llm.structured_output import OTHER_FORM, read_json
from graphrag_neo4j.model import LLMTask, Message, Request
from graphrag_neo4j.settings import Settings
from graphrag_neo4j.text import excerpt, fold_prose, storable

__all__ = ["Support", "SupportJudge", "SupportVerdict"]

KNOWN: Final = ("sentence", "passages")
LONGEST_REASON: Final = 600  # characters


@dataclass(frozen=True, slots=True)
class SupportVerdict:
    """Whether passages support a sentence, and why."""

    support: Support
    reason: str


class SupportJudge:
    """Judges whether passages support a sentence. The prompt comes from the file `eval_support`."""

    def __init__(self, settings: Settings) -> None:
        self._prompt = load_prompt("eval_support", settings.prompts, known=KNOWN, needs="passages")
        self.model = settings.model_for("judge")
        self._limit = reply_limit("judge", settings)

    @classmethod
    def from_settings(cls, settings: Settings) -> Self:
        """Makes the judge from settings. Raises InputError if its prompt file can't be used."""
        return cls(settings)

    @property
    def signature(self) -> str:
        """A hash of the prompt and the model: verdicts of the same judge share it."""
        return identify("support judge", self._prompt.text, self.model)

    def judge(self, sentence: str, passages: Sequence[str]) -> LLMTask[SupportVerdict]:
        """Returns whether the passages support the sentence.

        A reply without exactly one verdict is asked for a second time. Raises ReplyError if the
        second reply has none either: the verdict is then missing.
        """
        request = Request("judge", (Message("user", self.prompt(sentence, passages)),), self._limit)
        found = yield from read_json(request, SupportSchema, _one_verdict)
        return SupportVerdict(found.support, excerpt(fold_prose(found.reason), LONGEST_REASON))

    def prompt(self, sentence: str, passages: Sequence[str]) -> str:
        """Returns the text that the model reads about a sentence and its passages."""
        listed = [f"Passage {n}:\n{_shown(text)}" for n, text in enumerate(passages, start=1)]
        return self._prompt.fill({"sentence": _shown(sentence), "passages": "\n\n".join(listed)})


def _shown(text: str) -> str:
    return marked(storable(neutralised(text))[0])


def _one_verdict(found: SupportSchema, odd: list[str]) -> SupportSchema:
    """Raises ReplyError if a reply holds several verdicts: none of them is the right one."""
    if TWICE in odd or OTHER_FORM in odd:
        raise ReplyError("the reply holds more than one verdict")
    return found

"""The judges: a model compares two answers by one metric, or a sentence with what it cites.

Answers, sentences and passages are text of others. They stand between marks that no text can forge.
Answers stand there without their citations, so that the judge does not see which system wrote them.
"""

# The docstring of a public schema becomes its description in the JSON schema, which the model
# reads: to change it is to change the prompt.

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, ClassVar, Final, Literal, TypeVar

from pydantic import BeforeValidator, ConfigDict, Field, ValidationInfo

from graphrag_neo4j.errors import ReplyError
from graphrag_neo4j.llm.prompts import load_prompt, marked
from graphrag_neo4j.llm.replies.json_values import TWICE
from graphrag_neo4j.llm.replies.schemas import ReplySchema, Text, note
from graphrag_neo4j.llm.replies.structured_output import OTHER_FORM, read_json
from graphrag_neo4j.llm.tasks.reply_limits import reply_limit
from graphrag_neo4j.model.citations import neutralised, rewrite
from graphrag_neo4j.model.types import LLMTask, Message, Request
from graphrag_neo4j.settings import Settings
from graphrag_neo4j.text.strings import excerpt, fold, fold_prose, identify, storable

Metric = Literal["comprehensiveness", "diversity", "empowerment", "directness"]
Winner = Literal["first", "second", "tie"]
Support = Literal["supported", "partly", "not"]
WINNERS: Final[tuple[Winner, ...]] = ("tie", "first", "second")  # by the number in a reply
LONGEST_REASON: Final = 600  # characters
NAMED_WINNER: Final = re.compile(r"(?:answer\s?)?([012])", re.IGNORECASE)
TIES: Final = frozenset({"tie", "draw", "neither", "equal"})
# The words for a support, with those that models write in place of what they are asked for.
SUPPORTS: Final[Mapping[Support, re.Pattern[str]]] = {
    "supported": re.compile(r"(?:fully )?supported|fully"),
    "partly": re.compile(r"part(?:ly|ial|ially)(?: supported)?"),
    "not": re.compile(r"not(?: supported)?|unsupported"),
}
# The citations of an answer. Systems cite in different forms: `[Data: Reports (3)]`, `[^1]`,
# `[2, 4]`, `[KG] report.pdf`, a list of references at the end. An unknown form stays in the text.
NUMBERS = r"\^?\d{1,4}(?:\s{0,2}[,;–-]\s{0,2}\^?\d{1,4}){0,50}"
CITED = re.compile(
    rf"\[{NUMBERS}\](?:\([^()\s]{{1,500}}\))?|"  # [1], [^1], [1, 2], and [1](https://…)
    r"\[(?:KG|DC|KB|sources?|references?|refs?|chunks?|documents?|docs?|reports?)"
    r"(?:[\s:#][^\[\]\n]{0,200})?\]|"
    rf"\((?:sources?|references?|refs?)(?::[^()\n]{{1,200}}|\s{{1,2}}#?{NUMBERS})\)|"
    r"【[^【】\n]{0,80}†[^【】\n]{0,80}】",
    re.IGNORECASE,
)
# A heading above a list of references, in the languages in which citations are read.
SOURCES_HEADING = re.compile(
    r"[#*_\s]{0,12}(?:references|sources|citations|bibliography|quellen|références|referencias|"
    r"参考文献|来源|出典)[*_:：\s]{0,12}",
    re.IGNORECASE,
)
REFERENCE = re.compile(r"\s{0,12}(?:[-*•]\s|\[|\d{1,4}[.)]\s)")
FOOTNOTE = re.compile(r"^[ \t]{0,3}\[\^?\d{1,4}\]:.*$", re.MULTILINE)
GAP = re.compile(r"(?<=\S)[ \t]{1,4}(?=[.,;:!?。，；：！？](?:\s|$))")
SPACES = re.compile(r"(?<=\S) {2,}(?=\S)")

DEFINITIONS: Final[Mapping[Metric, str]] = {
    "comprehensiveness": (
        "How much of what the question asks for does the answer cover, and in how much detail? A "
        "comprehensive answer leaves out no important aspect. Saying the same thing again, or "
        "things beside the question, adds nothing."
    ),
    "diversity": (
        "How many different perspectives does the answer bring? A diverse answer looks at the "
        "question from several sides and shows different views, examples and sources. Several "
        "sentences that make the same point count once."
    ),
    "empowerment": (
        "How well does the answer help its reader to understand the topic and to form a judgement "
        "of his own? An empowering answer explains, gives reasons and examples, and does not "
        "mislead with false certainty."
    ),
    "directness": (
        "How directly does the answer say what was asked? A direct answer is specific, clear and "
        "concise: it does not wander off, and the reader need not search for the answer in it."
    ),
}
"""What the judge is told about each metric. Directness is the control: an answer that
covers more is mostly less direct, so a judge that prefers one answer in all four sees only length
or style."""


def _read_winner(value: object, info: ValidationInfo) -> object:
    """Reads the number of an answer that may be given as a text. What names two isn't a winner."""
    if isinstance(value, bool):
        return None
    if not isinstance(value, str):
        return value
    note(info, "a winner in another form")
    said = value.strip().casefold().rstrip(".")
    if said in TIES:
        return 0
    named = NAMED_WINNER.fullmatch(said)
    return int(named[1]) if named else value


class JudgedSchema(ReplySchema):
    """The reasons first, then the number of the better answer: 1, 2, or 0 for a tie."""

    model_config = ConfigDict(title="judged_answers")
    defaults: ClassVar[Mapping[str, object]] = {"reasoning": ""}
    reasoning: Text = Field(json_schema_extra={"maxLength": 1500})
    winner: Annotated[Literal[0, 1, 2], BeforeValidator(_read_winner)]


def _read_support(value: object, info: ValidationInfo) -> object:
    """Reads a support that may be given in other words, such as "Partially supported."."""
    said = str(value).strip().casefold().rstrip(".").replace("_", " ").replace("-", " ")
    for support, words in SUPPORTS.items():
        if words.fullmatch(said):
            if said != support:
                note(info, "a support in other words")
            return support
    return said


class SupportSchema(ReplySchema):
    """The reason first, then whether the passages support the sentence."""

    model_config = ConfigDict(title="sentence_support")
    defaults: ClassVar[Mapping[str, object]] = {"reason": ""}
    reason: Text = Field(json_schema_extra={"maxLength": 1000})
    support: Annotated[Support, BeforeValidator(_read_support)]


@dataclass(frozen=True, slots=True)
class Judgement:
    """Which of two answers is better, by the order in which the judge saw them, and why."""

    winner: Winner
    reason: str


S = TypeVar("S", bound=ReplySchema)


class _Judge:
    """The model that judges. Its prompt has places for the values `known`, and `needs` one."""

    def __init__(self, file: str, settings: Settings, known: tuple[str, ...], needs: str) -> None:
        self._prompt = load_prompt(file, settings.prompts, known=known, needs=needs)
        self._limit = reply_limit("judge", settings)
        self.model = settings.model_for("judge")

    def _verdict(self, prompt: str, schema: type[S]) -> LLMTask[S]:
        """Returns the one verdict of a reply.

        A reply without exactly one is asked for a second time. Raises ReplyError if the second
        reply has none either: the verdict is then missing.
        """
        request = Request("judge", (Message("user", prompt),), self._limit)
        return (yield from read_json(request, schema, _one_verdict))


class PairJudge(_Judge):
    """Compares two answers. The prompt comes from the file `eval_judge`."""

    def __init__(self, settings: Settings) -> None:
        known = ("metric", "definition", "question", "answer_1", "answer_2")
        super().__init__("eval_judge", settings, known, "answer_1")
        self.name = f"model {self.model}"  # as records name the judge

    @property
    def signature(self) -> str:
        """A hash of the prompt, the metrics and the model: verdicts of the same judge share it."""
        metrics = [part for one in DEFINITIONS.items() for part in one]
        return identify("judge", self._prompt.text, self.model, *metrics)

    def compare(self, question: str, one: str, other: str, metric: Metric) -> LLMTask[Judgement]:
        """Returns the verdict about two answers, of which `one` is shown first.

        Raises ReplyError if there is none: such a comparison is missing, and isn't a tie.
        """
        values = {
            "metric": metric,
            "definition": DEFINITIONS[metric],
            "question": marked(storable(fold(question))[0]),
            "answer_1": marked(storable(plain_answer(one))[0]),
            "answer_2": marked(storable(plain_answer(other))[0]),
        }
        found = yield from self._verdict(self._prompt.fill(values), JudgedSchema)
        return Judgement(WINNERS[found.winner], fold_prose(found.reasoning))


@dataclass(frozen=True, slots=True)
class SupportJudgement:
    """Whether passages support a sentence, and why."""

    support: Support
    reason: str


class SupportJudge(_Judge):
    """Judges whether passages support a sentence. The prompt comes from the file `eval_support`."""

    def __init__(self, settings: Settings) -> None:
        super().__init__("eval_support", settings, ("sentence", "passages"), "passages")

    @property
    def signature(self) -> str:
        """A hash of the prompt and the model: verdicts of the same judge share it."""
        return identify("support judge", self._prompt.text, self.model)

    def judge(self, sentence: str, passages: Sequence[str]) -> LLMTask[SupportJudgement]:
        """Returns whether the passages support the sentence.

        Raises ReplyError if there is no verdict.
        """
        found = yield from self._verdict(self.prompt(sentence, passages), SupportSchema)
        return SupportJudgement(found.support, excerpt(fold_prose(found.reason), LONGEST_REASON))

    def prompt(self, sentence: str, passages: Sequence[str]) -> str:
        """Returns the text that the model reads about a sentence and its passages."""
        listed = [f"Passage {n}:\n{_shown(text)}" for n, text in enumerate(passages, start=1)]
        return self._prompt.fill({"sentence": _shown(sentence), "passages": "\n\n".join(listed)})


def _shown(text: str) -> str:
    return marked(storable(neutralised(text))[0])


def plain_answer(text: str) -> str:
    """Returns an answer without its citations, trimmed: they show which system wrote it.

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
        if SOURCES_HEADING.fullmatch(line):
            return "\n".join(lines[:number])
        if line.strip() and not REFERENCE.match(line):
            return text
    return text


def _one_verdict(found: S, odd: list[str]) -> S:
    """Raises ReplyError if a reply holds several verdicts: none of them is the right one."""
    if TWICE in odd or OTHER_FORM in odd:
        raise ReplyError("the reply holds more than one verdict")
    return found

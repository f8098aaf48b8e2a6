"""The index backend with a model: LLM tasks that write prompts and read replies, without I/O."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from graphrag_neo4j.errors import ReplyError
from graphrag_neo4j.llm.prompts import Prompt, load_prompt, marked
from graphrag_neo4j.llm.replies.schemas import ComparisonSchema
from graphrag_neo4j.llm.replies.structured_output import read_json
from graphrag_neo4j.llm.tasks.examples import ExampleRecords, fitted_examples, without_own
from graphrag_neo4j.llm.tasks.extraction import (
    EMPTY,
    Gleaning,
    Wording,
    claims_of,
    extraction_of,
    read_with_gleanings,
)
from graphrag_neo4j.llm.tasks.reply_limits import REPORT_WORDS, reply_limit
from graphrag_neo4j.llm.tasks.reports import Reports
from graphrag_neo4j.llm.tasks.summaries import WORDS_PER_TOKEN, Summaries
from graphrag_neo4j.model.context import ContextTable
from graphrag_neo4j.model.material import ReportMaterial
from graphrag_neo4j.model.types import (
    DESCRIPTION_TOKENS,
    ChunkText,
    Claims,
    ComparedName,
    DescribedThing,
    Extraction,
    LLMTask,
    Message,
    NamePair,
    NameVerdict,
    Origin,
    Request,
    Step,
    WrittenReport,
)
from graphrag_neo4j.settings import Settings
from graphrag_neo4j.text import tokens
from graphrag_neo4j.text.strings import excerpt, flat, fold_prose, identify

DELIMITERS = {
    "tuple_delimiter": "<|>",
    "record_delimiter": "##",
    "completion_delimiter": "<|COMPLETE|>",
}
GLEANED_FROM = 100  # tokens of a chunk: of a few lines, the first list misses nothing
LONGEST_SAID = 300  # characters of what the documents say about one name that is compared
LONGEST_NAME = LONGEST_REASON = 200
WANTED_CLAIMS = "Any claims or facts that could be relevant to information discovery."
MOST_NAMES = 80  # entities that are shown where a chunk is read for claims
# The placeholders that the prompt files of this project and of microsoft/graphrag use.
INDEX_NAMES = (
    *DELIMITERS,
    *("claim_description", "description_list", "each_community", "entity_name", "entity_specs"),
    *("entity_types", "entity_types_instruction", "examples", "input_text", "language"),
    *("language_instruction", "max_length", "max_report_length", "max_words"),
    *("predicates_instruction", "reply_form", "report_length", "types_reminder"),
)


@dataclass(frozen=True, slots=True)
class _Reading:
    """The prompts and the number of gleanings for one kind of list."""

    opening: Prompt
    values: Mapping[str, str]
    wording: Wording
    gleanings: int

    def examples_for(self, chunk: ChunkText) -> str:
        """The examples, without those that were made from the text of this chunk."""
        return without_own(self.values["examples"], chunk.text)

    def prompt(self, chunk: ChunkText) -> str:
        names = [excerpt(flat(one), LONGEST_NAME) for one in chunk.entities[:MOST_NAMES]]
        before = {
            "What goes before the passage": chunk.header,
            "Entities in the passage": "\n".join(names),
        }
        parts = [f"{what}:\n\n{marked(text)}" for what, text in before.items() if text]
        shown = "\n\n".join([*parts, *["The passage:"] * bool(parts), marked(chunk.text)])
        own = {"examples": self.examples_for(chunk), "input_text": shown}
        return self.opening.fill({**self.values, **own})

    def signature(self, model: str) -> str:
        prompt = self.opening.fill(self.values)
        return identify("reading", model, prompt, str(self.wording), self.gleanings)


class LLMIndexBackend:
    """Extracts entities and claims, and writes descriptions and reports, with a model.

    The prompts come from the prompt files. `origin`, `quotes` and `reads_material` say that a model
    writes the reports from a context alone: they are not quotations. Raises InputError if a prompt
    file can't be used.
    """

    origin: Origin = "model"
    quotes = reads_material = False

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        values = DELIMITERS | _values(settings)
        language = _language(settings, "the language of the descriptions")
        self._summaries = Summaries(settings, values | language, INDEX_NAMES)
        of_material = _language(settings, "the language of the material")
        self._reports = Reports(settings, values | of_material, INDEX_NAMES)
        self._comparison = load_prompt(
            "compare", settings.prompts, known=INDEX_NAMES, needs="input_text"
        )
        self._extraction = _reading(settings, "extract", values)
        self._claims = _reading(settings, "claims", values)

    def signature(self, step: Step) -> str:
        """Returns a hash of the model, the prompts and the settings of a step."""
        if step == "summary":
            return self._summaries.signature
        if step == "report":
            return self._reports.signature
        if step == "names":
            return identify(step, self._settings.model_for("extraction"), self._comparison.fill({}))
        reading = self._extraction if step == "extraction" else self._claims
        return reading.signature(self._settings.model_for("extraction"))

    def extract(self, chunk: ChunkText) -> LLMTask[Extraction]:
        """Extracts the entities and relationships that a chunk states."""
        gleaned = yield from self._gleaned("extraction", self._extraction, chunk)
        found = extraction_of(gleaned, _types(self._settings))
        _refuse_unusable(gleaned, found.entities or found.relationships, found.unusable)
        return found

    def claims(self, chunk: ChunkText) -> LLMTask[Claims]:
        """Extracts the claims that a chunk makes."""
        gleaned = yield from self._gleaned("claims", self._claims, chunk)
        found = claims_of(gleaned)
        _refuse_unusable(gleaned, found.claims, found.unusable)
        return found

    def _gleaned(self, step: Step, reading: _Reading, chunk: ChunkText) -> LLMTask[Gleaning]:
        """Reads a chunk, and gleans it unless it is short; each reply has a limit of tokens."""
        gleaned = yield from read_with_gleanings(
            step,
            reading.prompt(chunk),
            reading.wording,
            reading.gleanings if tokens.count(chunk.text) >= GLEANED_FROM else 0,
            limit=reply_limit(step, self._settings),
        )
        examples = _records_of(reading.examples_for(chunk), step == "claims")
        return examples.left_out_of(gleaned, f"{chunk.header}\n{chunk.text}")

    @property
    def summary_batch(self) -> int:
        """The largest number of things that one request asks to describe."""
        return self._summaries.most_at_once

    def summarize(self, things: Sequence[DescribedThing]) -> LLMTask[list[str | ReplyError]]:
        """Makes one description of several for each thing; an error where it can't be used."""
        return (yield from self._summaries.several(things))

    def compare(self, pairs: Sequence[NamePair]) -> LLMTask[list[NameVerdict | None]]:
        """Decides for each pair of names whether they are one thing; None where it is not said.

        Raises ReplyError if the reply has no verdict about any pair.
        """
        listed = "\n\n".join(
            f"Pair {n}\n{_described('A', pair.one)}\n{_described('B', pair.other)}"
            for n, pair in enumerate(pairs, start=1)
        )
        message = Message("user", self._comparison.fill({"input_text": marked(listed)}))
        request = Request("names", (message,), reply_limit("names", self._settings))

        def check(found: ComparisonSchema, odd: list[str]) -> list[NameVerdict | None]:
            known = [one for one in found.pairs if 1 <= one.pair <= len(pairs)]
            unknown = len(found.pairs) - len(known)
            odd += ["a verdict about a pair that was not asked for"] * unknown
            if not known:
                raise ReplyError("there is no verdict about any pair")
            verdicts: list[NameVerdict | None] = [None] * len(pairs)
            for one in known:
                reason = excerpt(fold_prose(one.reason), LONGEST_REASON)
                verdicts[one.pair - 1] = NameVerdict(one.verdict, reason)
            return verdicts

        return (yield from read_json(request, ComparisonSchema, check))

    @property
    def shared_tokens(self) -> int:
        """The largest number of tokens of material in a request for several reports."""
        return self._reports.shared_tokens

    def report(self, context: str, _material: ReportMaterial) -> LLMTask[WrittenReport]:
        """Writes a report on the elements in `context`.

        Raises ReplyError if two replies in a row can't be used.
        """
        return (yield from self._reports.one(context))

    def reports(
        self, contexts: Sequence[tuple[ContextTable, ReportMaterial]]
    ) -> LLMTask[list[WrittenReport | ReplyError]]:
        """Writes a report on each of several contexts; an error where it can't be used."""
        return (yield from self._reports.several([table for table, _ in contexts]))


def _described(letter: str, one: ComparedName) -> str:
    name = excerpt(flat(one.name), LONGEST_NAME)
    said = excerpt(" ".join(flat(text) for text in one.descriptions), LONGEST_SAID)
    return f"{letter}: {name} | {flat(one.type) or 'no type'} | {said or 'nothing is said'}"


def _refuse_unusable(gleaned: Gleaning, usable: Sequence[object], reasons: Sequence[str]) -> None:
    """Raises ReplyError if there are records, but none of them can be used.

    Those without a name, or with one that is too long, are left out and counted: to read them again
    would give the same.
    """
    if not usable and sum(one.endswith(EMPTY) for one in reasons) < len(gleaned.records):
        reason = Counter(reasons).most_common(1)[0][0]
        raise ReplyError(f"none of the {len(gleaned.records)} records can be used: {reason}")


def _reading(settings: Settings, name: str, values: Mapping[str, str]) -> _Reading:
    def load(part: str) -> str:
        return load_prompt(part, settings.prompts, known=INDEX_NAMES).fill(values).strip()

    opening = load_prompt(name, settings.prompts, known=INDEX_NAMES, needs="input_text")
    wording = Wording(load(f"{name}_missed"), load(f"{name}_more"), load("continue"))
    values = {**values, "examples": _examples(settings, name, values)}
    return _Reading(opening, values, wording, settings.most_gleanings)


@lru_cache(32)  # nearly all chunks have the same examples
def _records_of(examples: str, claims: bool) -> ExampleRecords:
    return ExampleRecords(examples, claims=claims)


def _examples(settings: Settings, name: str, values: Mapping[str, str]) -> str:
    """Returns the examples of a prompt. Examples of the user are not changed."""
    prompt = load_prompt(f"{name}_examples", settings.prompts, known=INDEX_NAMES)
    text = prompt.fill(values).strip()
    if name != "extract" or not prompt.is_ours:
        return text
    return fitted_examples(text, _types(settings))


def _types(settings: Settings) -> tuple[str, ...]:
    """Returns the types of entities that the user asks for, () if the model chooses them."""
    return () if settings.entity_types == ("any",) else settings.entity_types


def _language(settings: Settings, otherwise: str) -> dict[str, str]:
    """The placeholders of the language of a text that is not about one passage."""
    language = settings.language or otherwise
    return {"language": language, "language_instruction": f"Write in {language}."}


def _values(settings: Settings) -> dict[str, str]:
    types = ", ".join(_types(settings))
    language = settings.language or "the language of the passage"
    instruction = "Write down every entity that matters, and give each a short type of your choice."
    reminder = "Give each entity a short type of your choice."
    if types:
        instruction = f"Write down every entity of these types: {types}."
        reminder = f"Only entities of these types: {types}."
    predicates = 'Say it in general words, such as "works for" or "founded".'
    if settings.relation_types:
        predicates = f"Where one of these fits, take it: {', '.join(settings.relation_types)}."
    words = str(int(DESCRIPTION_TOKENS * WORDS_PER_TOKEN))
    return {
        "entity_types": types or "whatever fits",
        "entity_types_instruction": instruction,
        "types_reminder": reminder,
        "predicates_instruction": predicates,
        "entity_specs": types or "any named entity",
        "claim_description": WANTED_CLAIMS,
        "language": language,
        "language_instruction": f"Write names and descriptions in {language}.",
        "max_words": words,
        "max_length": words,
        "max_report_length": str(REPORT_WORDS),
    }

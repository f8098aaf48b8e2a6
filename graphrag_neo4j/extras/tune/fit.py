"""From a sample of a corpus to prompts that fit it: a profile, types of entities, and examples.

The prompt files are our own prompts with the domain, the persona, the types with their definitions
and the examples in the place of placeholders. All other placeholders stay.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

import anyio

from graphrag_neo4j.backends import Backends
from graphrag_neo4j.concurrency import first_error
from graphrag_neo4j.errors import InputError, ReplyError
from graphrag_neo4j.extras.tune.result import EntityType, TunedExample, Tuning
from graphrag_neo4j.extras.tune.sample import Sample, SampledPassage
from graphrag_neo4j.extras.tune.tasks import (
    Profile,
    entity_types_task,
    example_task,
    profile_task,
    shown_passages,
    stands_in,
)
from graphrag_neo4j.files import read_prompt
from graphrag_neo4j.index.estimate import priced
from graphrag_neo4j.llm.prompts import load_prompt, marked, plain_line
from graphrag_neo4j.llm.tasks.index_backend import INDEX_NAMES, LLMIndexBackend
from graphrag_neo4j.model.citations import neutralised
from graphrag_neo4j.model.contracts import RunTask
from graphrag_neo4j.model.events import Advanced, Listener, Started, silent
from graphrag_neo4j.model.types import ChunkText, Extraction
from graphrag_neo4j.settings import EXTRACTIVE, Settings
from graphrag_neo4j.text import tokens
from graphrag_neo4j.text.strings import excerpt, name_key

NO_MODEL = (
    "Prompts are fitted to documents by a model, and no model is set: set OPENAI_API_KEY, or "
    "OPENAI_BASE_URL for an OpenAI-compatible endpoint of your own. Without a model an index has "
    "no prompts."
)
MODEL_IS_OFF = (
    f"Prompts are fitted to documents by a model, and KG_MODEL={EXTRACTIVE} says that none is "
    "asked: set KG_MODEL to the name of a model."
)
EXAMPLES = 3  # in the prompt
TRIED = 6  # passages, at most, that an example is asked for
REASON = 300  # characters of the reason why an example is left out
# Tokens of a reply: assumptions, as generous as the prompts allow.
PROFILE, TYPES, LIST = 200, 1100, 900
DEFINITIONS: Final = 350  # tokens that the definitions add to the prompt of an example
ATTEMPTS: Final = 2  # at each reply, if the first can't be used
ROLE = "an analyst who writes for decision makers"  # in our prompt of a report
FIELD = "${tuple_delimiter}"
RECORD = "$record_delimiter"
COMPLETE = "$completion_delimiter"
PASSAGE = "Passage:\n"
# A name in braces, for which the file would be read in the syntax of another program.
BRACED = re.compile(rf"\{{({'|'.join(INDEX_NAMES)})\}}")
DELIMITER = re.compile(r"<(?=\|)|(?<=\|)>|#(?=#)")
Lists = dict[int, Extraction]
"""The lists that can serve as examples, by the number of their passage from 0."""


@dataclass(frozen=True, slots=True)
class Wishes:
    """What the caller has decided. None or () leaves it to the model.

    Raises InputError for a value that is empty or holds no word.
    """

    domain: str | None = None
    language: str | None = None
    persona: str | None = None
    entity_types: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for name in ("domain", "language", "persona"):
            given = getattr(self, name)
            if given is not None and not plain_line(given):
                raise InputError(f"{name} is empty: write something in it, or leave it out.")
        if any(not plain_line(one) for one in self.entity_types):
            raise InputError("entity_types holds an empty name: leave it out.")


def check_tuning(settings: Settings) -> None:
    """Raises InputError if no model is set, or if the tokenizer can't be loaded."""
    if not settings.has_model:
        raise InputError(MODEL_IS_OFF if settings.model == EXTRACTIVE else NO_MODEL)


@dataclass(frozen=True, slots=True)
class TuneEstimate:
    """The calls, tokens and US dollars that a tuning takes if all replies can be used at once.

    `most_calls` is the number of calls that it takes at most. `cost` is None where the price of the
    model is not known.
    """

    calls: int
    most_calls: int
    input_tokens: int
    output_tokens: int
    cost: float | None


def estimate_tuning(sample: Sample, settings: Settings) -> TuneEstimate:
    """Estimates the tuning from a sample.

    Raises InputError if a cost limit is set and the price of the model is not known.
    """
    count = tokens.count
    shown = count(shown_passages([one.text for one in sample.passages]))
    asked = sum(count(load_prompt(name).text) for name in ("tune_profile", "tune_types"))
    reading = count(read_prompt("extract")) + count(read_prompt("extract_examples")) + DEFINITIONS
    examples = min(EXAMPLES, len(sample.passages))
    passage = shown // max(1, len(sample.passages))
    sent = asked + 2 * shown + examples * (reading + passage)
    replied = PROFILE + TYPES + examples * LIST
    tried = min(TRIED, len(sample.passages))
    found = priced("extraction", 2 + examples, sent, replied, settings)
    return TuneEstimate(2 + examples, ATTEMPTS * (2 + tried), sent, replied, found.cost)


async def tune(
    sample: Sample, backends: Backends, wishes: Wishes, listen: Listener = silent
) -> Tuning:
    """Asks a model what the passages of a sample are about, and returns what was chosen.

    Raises InputError if no model is set, ModelError if the endpoint can't be used at all,
    BudgetSpentError if the cost limit is reached, and ReplyError if there is no usable reply with a
    profile or with types. An example without a usable reply is left out.
    """
    settings = backends.settings
    check_tuning(settings)
    if settings.prompts and not settings.prompts.is_dir():
        settings = settings.changed(prompts=None)  # this run may be the first to make the folder
    endpoint = backends.endpoint_for(settings)
    texts = [one.text for one in sample.passages]
    listen(Started("profile"))
    found = await endpoint.run(profile_task(texts, settings))
    language = wishes.language or settings.language
    told = replace(
        found,
        domain=plain_line(wishes.domain or found.domain).rstrip("."),
        language=plain_line(language) if language else found.language,
        persona=plain_line(wishes.persona or found.persona).rstrip("."),
    )
    listen(Started("entity types"))
    spoken = told.language or "the language of the passages"
    types = await endpoint.run(
        entity_types_task(texts, told.domain, spoken, settings, wishes.entity_types)
    )
    if not settings.relation_types:  # those of the user are kept
        settings = settings.changed(relation_types=tuple(types.predicates))
    definitions = {one.name: one.definition for one in types.types}
    read_in = found.language and name_key(found.language)
    lists, left_out = await _make_examples(
        texts,
        types.types,
        backend=_backend(_prompt_files(told, definitions, []), settings, list(definitions)),
        run=endpoint.run,
        settings=settings,
        listen=listen,
        translated=told.language is not None and name_key(told.language) != read_in,
    )
    shown = [_example_text(texts[n], one) for n, one in sorted(lists.items())]
    files = _prompt_files(told, definitions, shown)
    usual = LLMIndexBackend(settings.changed(prompts=None))
    fitted = _backend(files, settings, list(definitions))
    return Tuning(
        domain=told.domain,
        language=told.language,
        persona=told.persona,
        reason=found.reason,
        reason_passages=[n + 1 for n in found.passages],
        entity_types=[replace(one, passages=[n + 1 for n in one.passages]) for one in types.types],
        predicates={one: types.predicates.get(one, "") for one in settings.relation_types},
        examples=[_tuned(sample.passages[n], n + 1, one) for n, one in sorted(lists.items())],
        left_out=[
            *(f"The type {name}: {reason}." for name, reason in types.left_out.items()),
            *left_out,
        ],
        passages=sample.passages,
        documents=sample.documents,
        prompt_tokens=(_size(usual), _size(fitted)),
        files=files,
        usage=dict(endpoint.meter.steps),
    )


def _tuned(passage: SampledPassage, number: int, found: Extraction) -> TunedExample:
    lines = "\n".join("<|>".join(fields) for fields in _records(found))
    return TunedExample(passage, number, len(found.entities), len(found.relationships), lines)


def _size(backend: LLMIndexBackend) -> int:
    """The tokens of the first prompt for a chunk, without the chunk."""
    request = next(backend.extract(ChunkText("", "")))
    return sum(tokens.count(one.content) for one in request.messages)


async def _make_examples(
    texts: Sequence[str],
    types: Sequence[EntityType],
    *,
    backend: LLMIndexBackend,
    run: RunTask,
    settings: Settings,
    listen: Listener,
    translated: bool,
) -> tuple[Lists, list[str]]:
    """Returns EXAMPLES examples, or fewer where TRIED texts do not give so many, and the failures.

    `backend` has the prompts that the corpus will be read with. The passages with names of the most
    types are tried first. With `translated`, names need not stand in their passage.
    """
    lists: Lists = {}
    left_out: list[str] = []
    names = [one.name for one in types]
    waiting = _in_order(texts, types)[:TRIED]
    listen(Started("examples", min(EXAMPLES, len(waiting))))

    async def make(number: int) -> None:
        text = texts[number]
        request = next(backend.extract(ChunkText("", text)))
        task = example_task(request, text, names, settings, translated=translated)
        try:
            lists[number] = await run(task)
            listen(Advanced(1))
        except ReplyError as error:
            reason = excerpt(str(error), REASON).rstrip(".")
            left_out.append(f"The example of passage {number + 1}: {reason}.")

    while waiting and (missing := EXAMPLES - len(lists)):
        now, waiting = waiting[:missing], waiting[missing:]
        with first_error():
            async with anyio.create_task_group() as tasks:
                for number in now:
                    tasks.start_soon(make, number)
    return lists, sorted(left_out)


def _in_order(texts: Sequence[str], types: Sequence[EntityType]) -> list[int]:
    """The numbers of the passages, so that the first ones have all types if possible.

    One passage after the other is taken: the one with the most types that no earlier one has, then
    the one with the most types.
    """
    has = [
        {one.name for one in types if any(stands_in(name, text) for name in one.names)}
        for text in texts
    ]
    left, order = set(range(len(texts))), list[int]()
    shown: set[str] = set()
    while left:
        best = min(left, key=lambda n: (-len(has[n] - shown), -len(has[n]), n))
        left.remove(best)
        shown |= has[best]
        order.append(best)
    return order


def _prompt_files(
    told: Profile, types: Mapping[str, str], examples: Sequence[str]
) -> dict[str, str]:
    """The texts of the prompt files by their names; `types` holds the definition of each type.

    Without examples there is no file for them, so that those of this program are used.
    """
    defined = "\n".join(f"- {name}: {is_}" if is_ else f"- {name}" for name, is_ in types.items())
    opening = f"You are {_literal(told.persona)}. The collection: {_literal(told.domain)}."
    extract = _replaced(read_prompt("extract"), "# Task\n\n", f"# Task\n\n{opening} ")
    extract = _replaced(
        extract,
        "$entity_types_instruction",
        "Write down every entity of these types, and of no others:\n\n"
        f"{_literal(defined)}\n\nEach entity has the one type whose definition suits it best.",
    )
    reminder = f"Only entities of these types: {_literal(', '.join(types))}."
    extract = _replaced(extract, "$types_reminder", reminder)
    report = _replaced(read_prompt("report"), ROLE, _literal(told.persona))
    collection = f"\n\nThe whole collection: {_literal(told.domain)}.\n\nA report has\n"
    report = _replaced(report, "\n\nA report has\n", collection)
    if told.language is not None:
        named = f"Write names and descriptions in {_literal(told.language)}."
        extract = _replaced(extract, "$language_instruction", named)
        report = _replaced(report, "Write in $language.", f"Write in {_literal(told.language)}.")
    files = {"extract.md": extract, "report.md": report}
    if examples:
        # Our example of a passage that names nothing, which a corpus need not have.
        nothing = PASSAGE + read_prompt("extract_examples").rpartition(PASSAGE)[2].strip()
        files["extract_examples.md"] = "\n\n".join([*examples, nothing]) + "\n"
    return dict(sorted(files.items()))


def _replaced(text: str, old: str, new: str) -> str:
    """The text with its first `old` replaced; our prompt must hold it."""
    if old not in text:
        raise AssertionError(f"the prompt has no {old!r}")
    return text.replace(old, new, 1)


def _backend(files: Mapping[str, str], settings: Settings, types: Sequence[str]) -> LLMIndexBackend:
    """The index backend with these prompt files, as an index would load them.

    Raises InputError if one of them can't be used.
    """
    with TemporaryDirectory() as folder:
        for name, text in files.items():
            (Path(folder) / name).write_text(text, encoding="utf-8")
        changed = settings.changed(prompts=folder, entity_types=tuple(types))
        return LLMIndexBackend(changed)


def _example_text(passage: str, found: Extraction) -> str:
    """An example for a prompt file: a passage between marks, and its list."""
    shown = _literal(marked(_harmless(passage)))
    records = [FIELD.join(_literal(_harmless(one)) for one in of) for of in _records(found)]
    listed = "\n".join(f"({record})\n{RECORD}" for record in records)
    return f"{PASSAGE}\n{shown}\n\nList:\n\n{listed}\n{COMPLETE}"


def _records(found: Extraction) -> list[tuple[str, ...]]:
    """The fields of each record of a list."""
    return [
        *(('"entity"', one.name, one.type, one.description) for one in found.entities),
        *(
            ('"relationship"', one.source, one.target, one.description, f"{one.strength:g}")
            + ((one.predicate,) if one.predicate else ())
            for one in found.relationships
        ),
    ]


def _harmless(text: str) -> str:
    """Returns text of a document in which nothing is a citation, a delimiter or a placeholder."""
    spaced = DELIMITER.sub(lambda found: found[0] + " " if found[0] != ">" else " >", text)
    return BRACED.sub(r"{ \1 }", neutralised(spaced))


def _literal(text: str) -> str:
    """Returns a text that stands for itself in a prompt file."""
    return text.replace("$", "$$")

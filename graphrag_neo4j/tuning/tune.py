"""From a sample of a corpus to prompts that fit it: a profile, types of entities, and examples."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from graphrag_neo4j import tokens
from graphrag_neo4j.backends import Backends
from graphrag_neo4j.errors import InputError
from graphrag_neo4j.events import Listener, Started, silent
from graphrag_neo4j.llm import LLMIndexBackend
from graphrag_neo4j.llm.tuning import (
    FoundTypes,
    Profile,
    TypeFound,
    entity_types_task,
    plain_line,
    profile_task,
)
from graphrag_neo4j.model import ChunkText
from graphrag_neo4j.settings import EXTRACTIVE, Settings
from graphrag_neo4j.text import name_key
from graphrag_neo4j.tuning.examples import MadeExamples, make_examples
from graphrag_neo4j.tuning.prompt_files import (
    Instructions,
    backend_of,
    example_text,
    prompt_files,
    record_lines,
)
from graphrag_neo4j.tuning.result import EntityType, TunedExample, Tuning
from graphrag_neo4j.tuning.sample import Passage, Sample

__all__ = ["Wishes", "check_tuning", "tune"]

NO_MODEL = (
    "Prompts are fitted to documents by a model, and no model is set: set OPENAI_API_KEY, or "
    "OPENAI_BASE_URL for an OpenAI-compatible endpoint of your own. Without a model an index has "
    "no prompts."
)
MODEL_IS_OFF = (
    f"Prompts are fitted to documents by a model, and KG_MODEL={EXTRACTIVE} says that none is "
    "asked: set KG_MODEL to the name of a model."
)


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
    tokens.check(settings.encoding)


async def tune(
    sample: Sample,
    backends: Backends,
    wishes: Wishes,
    listen: Listener = silent,
) -> Tuning:
    """Asks a model what the passages of a sample are about, and returns what was chosen.

    Raises InputError if no model is set, ModelError if the endpoint can't be used at all,
    BudgetSpentError if the cost limit is reached, and ReplyError if there is no usable reply with a
    profile or with types. An example without a usable reply is left out.
    """
    check_tuning(backends.settings)
    settings = _without_missing_prompts(backends.settings)
    endpoint = backends.endpoint_for(settings)
    texts = [one.text for one in sample.passages]
    listen(Started("profile"))
    profile = await endpoint.run(profile_task(texts, settings))
    told = _wanted(profile, wishes, settings.language)
    listen(Started("entity types"))
    language = told.language or "the language of the passages"
    task = entity_types_task(texts, told.domain, language, settings, wishes.entity_types)
    types = await endpoint.run(task)
    definitions = {one.name: one.definition for one in types.types}
    instructions = Instructions(told.domain, told.persona, told.language, definitions)
    made = await make_examples(
        sample.passages,
        types.types,
        backend=backend_of(prompt_files(instructions, []), settings, list(definitions)),
        run=endpoint.run,
        settings=settings,
        listen=listen,
        translated=_differ(told.language, profile.language),
    )
    files = prompt_files(instructions, _shown(made, sample.passages))
    return Tuning(
        domain=told.domain,
        language=told.language,
        persona=told.persona,
        reason=profile.reason,
        reason_passages=[n + 1 for n in profile.passages],
        entity_types=[_entity_type(one) for one in types.types],
        examples=_examples(made, sample.passages),
        left_out=[*_types_left_out(types), *made.left_out],
        passages=sample.passages,
        documents=sample.documents,
        prompt_tokens=_sizes(files, settings, list(definitions)),
        files=files,
        usage=dict(endpoint.meter.steps),
    )


def _without_missing_prompts(settings: Settings) -> Settings:
    """Returns the settings without a folder of prompts that this run may be the first to make."""
    if settings.prompts is None or settings.prompts.is_dir():
        return settings
    return settings.changed(prompts=None)


def _wanted(found: Profile, wishes: Wishes, language: str | None) -> Profile:
    """Returns a profile with the wishes in the place of what the model has found.

    `language` is the language of the settings, None where they leave it to the texts.
    """
    language = wishes.language or language
    return Profile(
        plain_line(wishes.domain or found.domain).rstrip("."),
        plain_line(language) if language else found.language,
        plain_line(wishes.persona or found.persona).rstrip("."),
        found.reason,
        found.passages,
    )


def _differ(written: str | None, read: str | None) -> bool:
    """Tells whether the lists are written in another language than the passages."""
    return written is not None and (read is None or name_key(written) != name_key(read))


def _entity_type(found: TypeFound) -> EntityType:
    return EntityType(found.name, found.definition, found.names, [n + 1 for n in found.passages])


def _types_left_out(found: FoundTypes) -> list[str]:
    return [f"The type {name}: {reason}." for name, reason in found.left_out.items()]


def _examples(made: MadeExamples, passages: Sequence[Passage]) -> list[TunedExample]:
    return [
        TunedExample(
            passages[number],
            number + 1,
            len(found.entities),
            len(found.relationships),
            "\n".join(record_lines(found)),
        )
        for number, found in sorted(made.lists.items())
    ]


def _shown(made: MadeExamples, passages: Sequence[Passage]) -> list[str]:
    """The examples as prompts show them, in the order of the passages."""
    return [example_text(passages[n].text, found) for n, found in sorted(made.lists.items())]


def _sizes(files: Mapping[str, str], settings: Settings, types: list[str]) -> tuple[int, int]:
    """Returns the sizes of the usual first prompt for a chunk and of the fitted one."""
    usual = LLMIndexBackend.from_settings(settings.changed(prompts=None))
    return _size(usual, settings), _size(backend_of(files, settings, types), settings)


def _size(backend: LLMIndexBackend, settings: Settings) -> int:
    """Returns the tokens of the first prompt for a chunk, without the chunk."""
    request = next(backend.extract(ChunkText("", "")))
    return sum(tokens.count(one.content, settings.encoding) for one in request.messages)

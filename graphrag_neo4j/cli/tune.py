"""`kg-build tune` chooses prompts that fit a collection of documents."""

from contextlib import aclosing
from functools import partial
from pathlib import Path
from typing import Any

import anyio
import click

from graphrag_neo4j.backends import Backends
from graphrag_neo4j.cli import INTERRUPTED, options
from graphrag_neo4j.cli.output import terminal
from graphrag_neo4j.cli.output.progress import listening
from graphrag_neo4j.cli.output.words import about, money_known, unread
from graphrag_neo4j.client.async_client import PASSAGES
from graphrag_neo4j.errors import InputError, ReplyError
from graphrag_neo4j.extras.tune.fit import Wishes, check_tuning, estimate_tuning
from graphrag_neo4j.extras.tune.fit import tune as choose
from graphrag_neo4j.extras.tune.result import PAGE, Tuning, Written, setting_lines, writing
from graphrag_neo4j.extras.tune.sample import Sample, read_sample
from graphrag_neo4j.index.corpus import Corpus
from graphrag_neo4j.model.types import Usage
from graphrag_neo4j.settings import Settings
from graphrag_neo4j.text.strings import counted


@click.command()
@options.paths_argument
@options.value(
    "-o --output",
    "FOLDER",
    "The folder to write. The setting KG_PROMPTS takes it as it is.",
    type=click.Path(file_okay=False, path_type=Path),
    default=Path("prompts"),
)
@options.value("--domain", "TEXT", "What the documents are about, if you know it.")
@options.setting("--language", "NAME")
@options.value(
    "--persona",
    "TEXT",
    "Who reads the documents, for example 'a doctor who looks for side effects'.",
)
@options.value(
    "--entity-types",
    "TYPES",
    "Your own entity types, separated by commas. The model only defines them.",
)
@options.value(
    "--passages",
    None,
    "How many passages of the documents the model reads.",
    type=click.IntRange(1, 200),
    default=PASSAGES,
)
@options.model_option
@options.max_cost_option
@options.yes_option
@options.read_options
def tune_command(
    paths: tuple[Path, ...],
    *,
    output: Path,
    domain: str | None,
    language: str | None,
    persona: str | None,
    entity_types: str | None,
    passages: int,
    yes: bool,
    **values: Any,  # noqa: ANN401 - settings and reading options
) -> None:
    """Choose prompts and entity types that fit the documents in PATHS.

    A model reads some passages, which are spread over the documents. It finds what the documents
    are about, which types of entities matter in them, and examples. The command writes prompt files
    and tuning.md, a page that tells what was chosen and why. Read it before you index.

    The command first estimates its cost, and asks whether to go on. It needs no Neo4j. It never
    overwrites a file that you changed. If it is stopped, also by --max-cost, nothing is written,
    and the same command starts again.
    """
    reading = options.read_options_of(values)
    types = tuple(part.strip() for part in (entity_types or "").split(",") if part.strip())
    settings = options.settings_of(**values)
    wishes = Wishes(domain, language, persona, types)
    check_tuning(settings)
    options.refuse_unasked(yes=yes)
    click.get_current_context().with_resource(writing(output))
    corpus = Corpus.of_paths(paths, reading, settings)
    with listening(quiet=False, fleeting=True) as listen:
        sample = anyio.run(read_sample, corpus, passages, listen)
    _tell_estimate(sample, settings)
    try:
        if not (yes or terminal.confirmed("Go on?")):
            terminal.line("Nothing was asked and nothing was written.")
            raise click.exceptions.Exit(1)
        chosen = anyio.run(partial(_ask, sample, settings, wishes))
    except ReplyError as error:
        raise InputError(
            f"Nothing was chosen and nothing was written, since {str(error).rstrip('.')}. Try "
            "again, or name another model by --model."
        ) from None
    except (KeyboardInterrupt, click.Abort):
        again = "Run the same command again to start again."
        terminal.line(f"The command was interrupted, and nothing was written. {again}", error=True)
        raise click.exceptions.Exit(INTERRUPTED) from None
    _summarise(chosen, chosen.write(output))
    if sample.unreadable:
        raise click.exceptions.Exit(1)


def _tell_estimate(sample: Sample, settings: Settings) -> None:
    problems = [f"{problem}." for problem in unread(sample.unreadable.items())]
    terminal.some(problems, "`kg-build estimate --json`", "red", error=True)
    found = estimate_tuning(sample, settings)
    takes = about(found.calls, found.input_tokens, found.output_tokens, found.cost)
    terminal.line(
        f"{counted(len(sample.passages), 'passage')} of {counted(sample.documents, 'document')} "
        f"were chosen. {settings.model_for('extraction')} reads them in {takes}. Replies that "
        f"can't be used are asked for again, so there may be up to {found.most_calls:,} calls."
    )


async def _ask(sample: Sample, settings: Settings, wishes: Wishes) -> Tuning:
    with listening(quiet=False, fleeting=True) as listen:
        async with aclosing(Backends(settings)) as backends:
            return await choose(sample, backends, wishes, listen)


def _summarise(chosen: Tuning, written: Written) -> None:
    terminal.line(("Domain    ", "bold"), chosen.domain)
    terminal.line(("Language  ", "bold"), chosen.language or "several")
    terminal.line(("Persona   ", "bold"), chosen.persona)
    rows = [(one.name, one.definition or "not defined") for one in chosen.entity_types]
    terminal.table(("type", "definition"), rows, left=("definition",), wrapped=True)
    if chosen.predicates:
        terminal.table(
            ("predicate", "definition"),
            [(name, definition or "not defined") for name, definition in chosen.predicates.items()],
            left=("definition",),
            wrapped=True,
        )
    terminal.line(
        f"{counted(len(chosen.examples), 'example')} of your documents "
        f"{'is' if len(chosen.examples) == 1 else 'are'} in the prompt."
    )
    for sentence in chosen.left_out:
        terminal.line(f"Left out. {sentence}", style="yellow")
    used = Usage.total(chosen.usage.values())
    terminal.line(
        f"{counted(used.calls, 'call')}, {used.input_tokens:,} input tokens, "
        f"{used.output_tokens:,} output tokens, {money_known(used.cost, used.unpriced)}."
    )
    if written.kept:
        named = ", ".join(map(str, written.kept))
        terminal.line(
            f"You wrote or changed {named}, so nothing beside it was overwritten. The new files "
            f"are in {written.folder}: compare them, and take over what you like.",
            style="yellow",
        )
    terminal.line(
        f"The prompts are in {written.folder}. Read {written.folder / PAGE}, which tells "
        "what was chosen and why. These lines, in the environment or in .env, use them:"
    )
    for line in setting_lines(chosen, written.folder):
        terminal.line(f"  {line}")

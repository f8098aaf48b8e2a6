"""`kg-build eval results` shows what the verdicts and the claims of an evaluation say.

It also shows how far the judges of groundedness agree.
"""

from pathlib import Path
from types import ModuleType

import click

from graphrag_neo4j.cli.eval.options import extra_needed, folder_argument
from graphrag_neo4j.cli.options import settings_of
from graphrag_neo4j.cli.output import terminal
from graphrag_neo4j.cli.output.groundedness import print_judges_compared
from graphrag_neo4j.cli.output.verdicts import (
    print_agreement,
    print_claims,
    print_claims_and_judge,
    print_judge,
)
from graphrag_neo4j.errors import InputError
from graphrag_neo4j.evaluation.claims.counts import ClaimCounts, agreement_of_claims, mean_counts
from graphrag_neo4j.evaluation.folder import EvaluationFolder
from graphrag_neo4j.evaluation.groundedness.judged_sentences import compared_in
from graphrag_neo4j.evaluation.judge.comparisons import Judged
from graphrag_neo4j.evaluation.judge.judging import agreement_of_judges, summarised
from graphrag_neo4j.evaluation.judge.runs import claims_in, judged_in

__all__ = ["results"]


@click.command()
@folder_argument
def results(folder: Path) -> None:
    """Show win rates, their statistics, the bias of each judge, and counts of claims.

    If two judges have judged the groundedness of the same sentences, it also shows how often they
    agree. It asks no model and needs no Neo4j.
    """
    found = EvaluationFolder(folder)
    judged, compared = judged_in(found), compared_in(found, settings_of())
    if not (judged or compared or len(found.claims)):
        raise InputError(
            f"{folder} holds no verdicts and no claims. `kg-build eval judge {folder}` and "
            f"`kg-build eval claims {folder}` make them."
        )
    if judged:
        _print_judges(judged)
    if len(found.claims):
        _print_claims(found, judged)
    print_judges_compared(compared)


def _print_judges(judged: dict[str, list[Judged]]) -> None:
    statistics = _needing("judge.statistics")
    for judge, verdicts in judged.items():
        summary = summarised(judge, verdicts)
        tests = statistics.pair_tests(summary.results)
        print_judge(summary, tests, statistics.suspicions(verdicts))
    print_agreement(agreement_of_judges(judged))


def _print_claims(found: EvaluationFolder, judged: dict[str, list[Judged]]) -> None:
    count = _needing("claims.clusters").count_claims
    of_answers = claims_in(found)
    counts: dict[tuple[str, str], ClaimCounts] = {
        at: count(claims) for at, claims in of_answers.claims.items()
    }
    if not counts:
        terminal.line("No answer has all its claims yet. Run `kg-build eval claims` again.")
        return
    by_condition: dict[str, list[ClaimCounts]] = {}
    for (_, condition), one in counts.items():
        by_condition.setdefault(condition, []).append(one)
    rows = [(name, len(of), mean) for name, of in by_condition.items() if (mean := mean_counts(of))]
    print_claims(of_answers.model, rows)
    for judge, verdicts in judged.items():
        agreed = agreement_of_claims(counts, verdicts)
        if agreed.comprehensiveness.compared or any(
            one.compared for one in agreed.diversity.values()
        ):
            print_claims_and_judge(judge, agreed)


def _needing(name: str) -> ModuleType:
    """Returns a module of the evaluation that needs the packages of the extra `eval`."""
    from importlib import import_module  # noqa: PLC0415

    with extra_needed("The results need the package {name}"):
        return import_module(f"graphrag_neo4j.evaluation.{name}")

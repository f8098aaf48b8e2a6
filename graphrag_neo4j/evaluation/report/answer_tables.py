"""The tables of answers: what they cost and state, and which passages were found."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from statistics import fmean, median
from typing import Final

from graphrag_neo4j.evaluation.answers.costs import condition_costs
from graphrag_neo4j.evaluation.claims.clusters import THRESHOLDS, count_claims
from graphrag_neo4j.evaluation.claims.counts import (
    ClaimAgreement,
    ClaimCounts,
    agreement_of_claims,
    mean_counts,
)
from graphrag_neo4j.evaluation.judge.comparisons import Judged
from graphrag_neo4j.evaluation.judge.runs import FoundClaims
from graphrag_neo4j.evaluation.model import AnswerRecord
from graphrag_neo4j.evaluation.report.tables import Cell, Column, Table
from graphrag_neo4j.evaluation.retrieval.ranking import AT, RankRecord
from graphrag_neo4j.evaluation.retrieval.short_answers import ShortAnswer

__all__ = ["claim_tables", "cost_table", "retrieval_tables"]

COSTS: Final = (
    Column("condition"),
    Column("answers", "count"),
    Column("failed", "count"),
    Column("units", "one decimal", "reports, passages and other records of the context"),
    Column("context tokens", "count"),
    Column("% of most", "percent", "of the tokens of the condition that has the most"),
    Column("calls", "one decimal"),
    Column("tokens in", "count"),
    Column("tokens out", "count"),
    Column("cost", "money"),
    Column("seconds", "one decimal"),
    Column("total cost", "money", "of all answers of the condition"),
)
NO_CLAIMS: Final = "There are no claims yet. `kg-build eval claims FOLDER` finds them."
CLAIMS: Final = "What the answers state"


def cost_table(answers: Iterable[AnswerRecord]) -> Table:
    """Returns what an answer of each condition takes: Table 2 of the paper, and the money."""
    rows: list[list[Cell]] = [
        [
            one.condition,
            one.answers,
            one.missing,
            one.units,
            one.context_tokens,
            one.percent,
            one.calls,
            one.input_tokens,
            one.output_tokens,
            one.cost,
            one.seconds,
            one.total_cost,
        ]
        for one in condition_costs(answers)
    ]
    note = (
        "Units, tokens and percent are the columns of Table 2 of the paper. From the units to the "
        "seconds, all numbers are means for one answer. Costs are US dollars by the price list."
    )
    empty = (
        "There are no answers yet. `kg-build eval answers FOLDER` makes them, and `kg-build eval "
        "import FOLDER FILE --condition NAME` takes those of another system."
    )
    title = "Size of the contexts, and costs"
    return Table("costs", "What the answers cost", title, COSTS, rows, note, empty)


def claim_tables(
    found: FoundClaims, judged: Mapping[str, Sequence[Judged]], order: Sequence[str]
) -> list[Table]:
    """Returns the numbers of claims and of clusters (Tables 3 and 4), and who agrees with them."""
    counts = {at: count_claims(claims) for at, claims in found.claims.items()}
    by_condition: dict[str, list[ClaimCounts]] = defaultdict(list)
    for (_, condition), one in counts.items():
        by_condition[condition].append(one)
    means = {
        name: mean
        for name in order
        if (mean := mean_counts(by_condition.get(name, ()))) is not None
    }
    claims: list[list[Cell]] = [
        [name, len(by_condition[name]), one.claims] for name, one in means.items()
    ]
    clusters: list[list[Cell]] = [
        [name, *(one.clusters[t] for t in THRESHOLDS)] for name, one in means.items()
    ]
    return [
        Table(
            "claims",
            CLAIMS,
            "Claims of an answer",
            (Column("condition"), Column("answers", "count"), Column("claims", "two decimals")),
            claims,
            "A claim is one thing that an answer states. The mean number of different claims of an "
            f"answer measures how comprehensive it is (Table 3 of the paper). Found by "
            f"{found.model}.",
            NO_CLAIMS,
        ),
        Table(
            "clusters",
            CLAIMS,
            "Clusters of claims",
            (Column("condition"), *(Column(f"distance {t}", "two decimals") for t in THRESHOLDS)),
            clusters,
            "Claims that share many words in the same order form a cluster. The mean number of "
            "clusters of an answer measures how diverse it is (Table 4 of the paper). The distance "
            "(1 − ROUGE-L) is the largest one within a cluster.",
            NO_CLAIMS,
        ),
        _claims_and_judges(counts, judged),
    ]


def _claims_and_judges(
    counts: Mapping[tuple[str, str], ClaimCounts], judged: Mapping[str, Sequence[Judged]]
) -> Table:
    rows: list[list[Cell]] = []
    for judge, verdicts in judged.items() if counts else ():
        agreed = agreement_of_claims(counts, verdicts)
        rows += _agreed(judge, "claims, comprehensiveness", agreed.comprehensiveness)
        for threshold, one in sorted(agreed.diversity.items()):
            rows += _agreed(judge, f"clusters at {threshold}, diversity", one)
    columns = (
        Column("judge"),
        Column("counts, and the metric of the judge"),
        Column("compared", "count"),
        Column("no tie", "count", "a tie neither by the counts nor by the judge"),
        Column("same winner", "share", "of these"),
    )
    empty = "This table needs claims and verdicts on the same answers: `eval claims`, `eval judge`."
    title = "Do the counts name the same winner as the judge?"
    return Table("claims and judges", CLAIMS, title, columns, rows, "", empty)


def _agreed(judge: str, name: str, one: ClaimAgreement) -> list[list[Cell]]:
    return [[judge, name, one.compared, one.decided, one.share]] if one.compared else []


def retrieval_tables(ranks: Iterable[RankRecord], answers: Iterable[ShortAnswer]) -> list[Table]:
    """Returns the recall of each way of searching, and the scores of the short answers.

    Of several records of a question and a way, the last one counts.
    """
    last = {(one.way, one.question): one for one in ranks}
    by_way: dict[str, list[RankRecord]] = defaultdict(list)
    for rank in last.values():
        by_way[rank.way].append(rank)
    columns = (
        Column("way of searching"),
        Column("questions", "count"),
        Column("missing", "count"),
        *(Column(f"recall at {k}", "share") for k in AT),
        Column("seconds", "two decimals", "the median of a question"),
    )
    empty = (
        "Retrieval was not measured in this folder. `kg-build eval retrieval FILES -o FOLDER` does "
        "it with questions whose passages are known; name its folder with --retrieval."
    )
    note = "Recall is the share of the needed passages among the first 2, 5 and 10 passages."
    part, title = "Are the right passages found", "Recall"
    rows = [_recall(way, found) for way, found in by_way.items()]
    recall = Table("recall", part, title, columns, rows, note, empty)
    short = _short_answers(part, answers)
    return [recall, short] if short.rows else [recall]


def _recall(way: str, found: Sequence[RankRecord]) -> list[Cell]:
    there = [one for one in found if one.failure is None]
    means = [fmean(one.recall[n] for one in there) if there else None for n in range(len(AT))]
    seconds = median(one.seconds for one in there) if there else None
    return [way, len(there), len(found) - len(there), *means, seconds]


def _short_answers(part: str, answers: Iterable[ShortAnswer]) -> Table:
    by_way: dict[str, list[ShortAnswer]] = defaultdict(list)
    for one in {(one.way, one.question): one for one in answers}.values():
        by_way[one.way].append(one)
    columns = (
        Column("way of searching"),
        Column("answers", "count"),
        Column("missing", "count"),
        Column("exact match", "share", "the answer is word for word one of the expected answers"),
        Column("F1", "share", "words that the answer and the expected one share"),
    )
    rows: list[list[Cell]] = []
    for way, found in by_way.items():
        there = [one for one in found if one.failure is None]
        exact = fmean(one.exact for one in there) if there else None
        f1 = fmean(one.f1 for one in there) if there else None
        rows.append([way, len(there), len(found) - len(there), exact, f1])
    return Table("short answers", part, "Short answers", columns, rows)

"""What the server has done, as Prometheus reads it. No label has values that a client can make up.

Costs, calls and runs are counted elsewhere, and are read when somebody asks for them.
"""

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Final

from prometheus_client import (
    CollectorRegistry,
    Counter,
    Gauge,
    Histogram,
    disable_created_metrics,
    generate_latest,
)
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from graphrag_neo4j.extras.serve.logs import OTHER, Exchange
from graphrag_neo4j.extras.serve.runs import Runs
from graphrag_neo4j.index.watch import DayMeter
from graphrag_neo4j.model.types import Usage
from graphrag_neo4j.query.answer import METHODS

disable_created_metrics()  # type: ignore[no-untyped-call] # they would double the series
SECONDS: Final = (0.01, 0.05, 0.1, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300)  # an answer may take long
SEARCHES: Final = {"auto", "suggest", *METHODS}


class Metrics:
    """Counts the requests and the questions of one server. `running` counts those under way."""

    def __init__(self, day: DayMeter, runs: Runs) -> None:
        self._all = all_ = CollectorRegistry()
        labels = ["route", "method", "status"]
        self._requests = Counter("kg_requests", "Requests.", labels, registry=all_)
        said = "Their durations, those of streams to the end."
        self._seconds = Histogram(
            "kg_request_seconds", said, labels[:2], registry=all_, buckets=SECONDS
        )
        labels = ["search", "outcome"]
        self._questions = Counter("kg_questions", "Questions.", labels, registry=all_)
        self.running = Gauge("kg_questions_running", "Those being answered.", registry=all_)
        all_.register(_Kept(day, runs))

    def count(self, one: Exchange) -> None:
        """Counts a request that has ended."""
        self._requests.labels(one.route, one.method, one.status).inc()
        self._seconds.labels(one.route, one.method).observe(one.ms / 1000)

    def count_question(self, search: str, outcome: str) -> None:
        """Counts a question that has ended."""
        self._questions.labels(search if search in SEARCHES else OTHER, outcome).inc()

    def text(self) -> str:
        """All of it, in the form of Prometheus."""
        return generate_latest(self._all).decode()


class _Kept(Collector):
    """Reads what others count."""

    def __init__(self, day: DayMeter, runs: Runs) -> None:
        self._day, self._runs = day, runs

    def collect(self) -> Iterator[Metric]:
        """Yields the numbers of now."""
        day, used = self._day, Usage.total(self._day.steps.values())
        spent = day.spent if day.date == datetime.now(UTC).date() else 0.0
        yield GaugeMetricFamily("kg_cost_today_dollars", "The cost of the day (UTC).", spent)
        if day.limit is not None:
            yield GaugeMetricFamily("kg_cost_limit_dollars", "The limit of a day.", day.limit)
        calls = CounterMetricFamily("kg_model_calls", "Calls to the model.", labels=["outcome"])
        calls.add_metric(["answered"], used.calls)
        calls.add_metric(["failed"], used.failed)
        yield calls
        tokens = CounterMetricFamily("kg_model_tokens", "Tokens of the calls.", labels=["kind"])
        tokens.add_metric(["input"], used.input_tokens)
        tokens.add_metric(["output"], used.output_tokens)
        yield tokens
        ended = CounterMetricFamily("kg_runs", "Runs that read documents.", labels=["outcome"])
        for outcome, n in self._runs.ended.items():
            ended.add_metric([outcome], n)
        yield ended
        yield GaugeMetricFamily(
            "kg_run_in_progress", "Whether one reads documents.", self._runs.state.running
        )

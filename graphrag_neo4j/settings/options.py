"""The typed keyword arguments of the Python API, which an editor completes.

Written by `python -m tests.support.generated` from `Settings` and `query.question.Question`.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Literal, TypedDict


class AnswerOptions(TypedDict, total=False):
    """Settings that can differ for one question."""

    model: str
    answer_model: str | None
    embedding_model: str
    embedding_dimensions: int | None
    prompts: str | Path | None
    language: str | None
    max_cost: float | None
    input_price: float | None
    output_price: float | None
    response_type: str
    max_context_tokens: int
    map_context_tokens: int
    map_style: Literal["points", "answer"]
    drift_calls: int


class SettingsOptions(AnswerOptions, total=False):
    """All settings, as `from_env` takes them."""

    neo4j_uri: str | None
    neo4j_username: str
    neo4j_password: str | None
    neo4j_database: str | None
    home: str | Path | None
    neo4j_release: Literal["2026.09", "2026.01", "5.26"]
    maven_url: str | None
    embedded: bool
    gds: str
    gds_username: str | None
    gds_password: str | None
    openai_api_key: str | None
    openai_base_url: str | None
    extra_body: str
    embedding_extra_body: str
    question_extra_body: str
    extraction_model: str | None
    judge_model: str | None
    embedding_tokens: int
    concurrency: int
    workers: int | None
    timeout: float
    max_retries: int
    reasoning_tokens: int
    requests_per_minute: int | None
    tokens_per_minute: int | None
    batch_requests: int
    max_cost_a_day: float | None
    serve_token: str | None
    max_file_mb: int
    read_seconds: float
    chunk_tokens: int | None
    chunk_overlap: int
    prepend_metadata: str | Sequence[str]
    fulltext_analyzer: str | None
    extraction: Literal["paper", "lean"]
    entity_types: str | Sequence[str]
    relation_types: str | Sequence[str]
    gleanings: int | None
    claims: bool | None
    resolve: Literal["auto", "rules", "off"]
    join_tokens: int
    max_cluster_size: int
    report_context_tokens: int
    report_tolerance: float
    max_calls: int
    trust_env_file: bool


class SearchOptions(AnswerOptions, total=False):
    """The options of a question but its method."""

    level: int | None
    dynamic: bool
    max_calls: int | None
    context_only: bool
    history: Sequence[tuple[str, str]]
    where: str | Sequence[str]
    as_of: str | None
    all_passages: bool


class QueryOptions(SearchOptions, total=False):
    """The options of one question."""

    method: Literal["global", "local", "drift", "basic", "text", "auto"]

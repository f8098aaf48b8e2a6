"""The names and types of the keyword arguments of the Python API, which an editor completes.

`settings` has the settings with their defaults and descriptions, and `query.question` has the
fields of a question. A test checks that the names and types here are the same.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Literal, TypedDict

__all__ = ["QueryOptions", "SearchOptions", "SettingsOptions"]


class AnswerOptions(TypedDict, total=False):
    """The settings of a client that can have another value for one question."""

    response_type: str
    general_knowledge: bool
    max_context_tokens: int
    map_context_tokens: int
    data_max_tokens: int
    map_calls: int
    map_style: Literal["points", "answer"]
    small_share: float
    text_unit_prop: float
    community_prop: float
    top_k_entities: int
    top_k_relationships: int
    conversation_history_max_turns: int
    conversation_history_max_tokens: int
    drift_depth: int
    drift_calls: int


class SettingsOptions(AnswerOptions, total=False):
    """All settings, as `from_env` takes them.

    A key or a password is a text here. A list of names is a list of texts, or one text with commas.
    """

    # Neo4j
    neo4j_uri: str | None
    neo4j_username: str
    neo4j_password: str | None
    neo4j_database: str | None
    home: str | Path | None
    neo4j_release: Literal["2026.01", "5.26"]
    maven_url: str | None
    embedded: bool
    gds: str
    gds_username: str | None
    gds_password: str | None
    gds_database: str | None
    aura_client_id: str | None
    aura_client_secret: str | None
    aura_project_id: str | None
    aura_location: str | None

    # Model
    openai_api_key: str | None
    openai_base_url: str | None
    model: str
    extraction_model: str | None
    summary_model: str | None
    report_model: str | None
    answer_model: str | None
    rating_model: str | None
    judge_model: str | None
    embedding_model: str
    embedding_dimensions: int | None
    embedding_tokens: int
    embedding_batch: int
    concurrency: int
    timeout: float
    max_retries: int
    reasoning_tokens: int
    requests_per_minute: int | None
    tokens_per_minute: int | None
    workers: int | None
    batch_requests: int
    batch_poll_seconds: float
    max_cost: float | None
    max_cost_a_day: float | None
    input_price: float | None
    cached_input_price: float | None
    output_price: float | None

    # Documents and chunks
    max_file_mb: int
    read_seconds: float
    encoding: str
    chunk_tokens: int
    chunk_overlap: int
    prepend_metadata: str | Sequence[str]

    # Indexes
    fulltext_analyzer: str

    # Extraction
    prompts: str | Path | None
    entity_types: str | Sequence[str]
    language: str | None
    gleanings: int
    gleaning_question: Literal["later", "always", "never"]
    claims: bool | None
    resolve: Literal["auto", "rules", "off"]
    claim_gleanings: int
    entity_specs: str | Sequence[str]
    claim_description: str

    # Descriptions
    join_tokens: int
    summary_batch: int
    description_tokens: int
    summary_context_tokens: int

    # Communities and their reports
    max_cluster_size: int
    max_levels: int
    gamma: float
    theta: float
    seed: int
    unreported_size: int
    report_context_tokens: int
    report_words: int
    report_drift: float
    report_role: str
    report_rating: str

    # Questions
    expand: Literal["hop", "ppr"]
    suggestions: int

    # The working folder
    trust_env_file: bool


class SearchOptions(AnswerOptions, total=False):
    """The options of one question, except the method.

    These are fields of `Question`, and the settings that can have another value for one question.
    """

    # Fields of a question
    level: int | None
    dynamic: bool
    prefilter: int | None
    expand: Literal["hop", "ppr"] | None
    context_only: bool
    history: Sequence[tuple[str, str]]

    # Settings
    model: str
    answer_model: str | None
    rating_model: str | None
    embedding_model: str
    embedding_dimensions: int | None
    max_cost: float | None
    input_price: float | None
    cached_input_price: float | None
    output_price: float | None
    encoding: str
    prompts: str | Path | None
    language: str | None
    seed: int


class QueryOptions(SearchOptions, total=False):
    """The options of one question."""

    method: Literal["auto", "global", "local", "drift", "basic", "text"]

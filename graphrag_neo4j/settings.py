"""Every setting, its default and what it is for.

A setting comes from, in this order: an argument in Python or on the command line, the
environment, a file `.env` in the working folder, the default here. Ours begin with `KG_`;
those of Neo4j and of OpenAI keep the names that their users know. An address in `.env` is used
with a key or a password in the same `.env` only (see `env_file`).
"""

import warnings
from pathlib import Path
from typing import Annotated, Any, Literal, Self

from pydantic import (
    AliasChoices,
    BeforeValidator,
    Field,
    SecretStr,
    ValidationError,
    field_validator,
)
from pydantic import model_validator as validate_model
from pydantic_core import ErrorDetails
from pydantic_settings import (
    BaseSettings,
    DotEnvSettingsSource,
    InitSettingsSource,
    NoDecode,
    PydanticBaseSettingsSource,
    SettingsConfigDict,
)

from graphrag_neo4j.arguments import refuse_unknown
from graphrag_neo4j.env_file import beside_environment, named_by_file
from graphrag_neo4j.errors import InputError

__all__ = [
    "EXTRACTIVE",
    "MAX_FILE_MB",
    "MOST_DIMENSIONS",
    "OURS",
    "Neo4jRelease",
    "Settings",
    "load_settings",
]

Neo4jRelease = Literal["2026.01", "5.26"]
EXTRACTIVE = "extractive"  # the model's name that asks for none
OLD_EXTRACTIVE = "offline"  # its name up to version 0.1, still read with a warning
OURS = "KG_"  # what the names of our own settings begin with in the environment
MAX_FILE_MB = 100
MOST_DIMENSIONS = 4096  # of a vector that Neo4j can index


def _split(value: Any) -> Any:  # noqa: ANN401 - whatever the environment or the caller gives
    if not isinstance(value, str):
        return value
    return tuple(part.strip() for part in value.split(",") if part.strip())


CommaSeparated = Annotated[tuple[str, ...], NoDecode, BeforeValidator(_split)]


def _named(name: str) -> AliasChoices:
    """A setting that keeps a name known elsewhere, besides its own name in Python."""
    return AliasChoices(name.lower(), name)


class Settings(BaseSettings):
    """All settings of a run; immutable."""

    model_config = SettingsConfigDict(
        env_prefix=OURS,
        env_file=".env",
        env_ignore_empty=True,
        extra="ignore",
        frozen=True,
        populate_by_name=True,
    )

    # Neo4j
    neo4j_uri: str | None = Field(
        None,
        validation_alias=_named("NEO4J_URI"),
        description="Address of a Neo4j with GDS; without it the embedded server is used.",
    )
    neo4j_username: str = Field(
        "neo4j", validation_alias=_named("NEO4J_USERNAME"), description="User name on that server."
    )
    neo4j_password: SecretStr | None = Field(
        None, validation_alias=_named("NEO4J_PASSWORD"), description="Password on that server."
    )
    neo4j_database: str | None = Field(
        None,
        validation_alias=_named("NEO4J_DATABASE"),
        description="Database on that server; without it the user's home database.",
    )
    home: Path | None = Field(
        None, description="Folder of the embedded server; one for each corpus keeps them apart."
    )
    neo4j_release: Neo4jRelease = Field(
        "2026.01", description="Release line of the embedded server: 2026.01 or 5.26 (LTS)."
    )
    maven_url: str | None = Field(
        None, description="Maven repository (mirror) that the embedded server's jars come from."
    )
    embedded: bool = Field(
        True, description="Whether a server may be started by us when NEO4J_URI is not set."
    )

    # Model
    openai_api_key: SecretStr | None = Field(
        None, validation_alias=_named("OPENAI_API_KEY"), description="Key for the model endpoint."
    )
    openai_base_url: str | None = Field(
        None,
        validation_alias=_named("OPENAI_BASE_URL"),
        description="Address of any OpenAI-compatible endpoint.",
    )
    model: str = Field(
        "gpt-4.1-mini",
        description="Chat model for every step not named below; `extractive` asks for none, "
        "even with a key.",
    )
    extraction_model: str | None = Field(None, description="Chat model that reads chunks.")
    summary_model: str | None = Field(None, description="Chat model that joins descriptions.")
    report_model: str | None = Field(None, description="Chat model that writes reports.")
    answer_model: str | None = Field(None, description="Chat model that answers questions.")
    rating_model: str | None = Field(
        None, description="Chat model for small decisions: which method, which reports to open."
    )
    embedding_model: str = Field("text-embedding-3-small", description="Embedding model.")
    embedding_dimensions: int | None = Field(
        None,
        ge=1,
        le=MOST_DIMENSIONS,
        description="Dimensions asked of it; without it the model's own.",
    )
    embedding_tokens: int = Field(
        8000, ge=16, description="Tokens of a text that are embedded; the rest is left out."
    )
    embedding_batch: int = Field(128, ge=1, description="Texts embedded by one call, at most.")
    concurrency: int = Field(32, ge=1, description="Calls to the endpoint at the same time.")
    timeout: float = Field(120.0, gt=0, description="Seconds that one call may take.")
    max_retries: int = Field(
        5, ge=0, description="Retries of a call after 408, 409, 429, 5xx or a lost connection."
    )
    requests_per_minute: int | None = Field(None, ge=1, description="Limit of calls a minute.")
    tokens_per_minute: int | None = Field(None, ge=1, description="Limit of tokens a minute.")
    max_cost: float | None = Field(None, ge=0, description="US dollars after which a run stops.")
    input_price: float | None = Field(
        None, ge=0, description="US dollars for a million input tokens, where no price is known."
    )
    output_price: float | None = Field(
        None, ge=0, description="US dollars for a million output tokens, where no price is known."
    )

    # Documents and chunks
    max_file_mb: int = Field(
        MAX_FILE_MB,
        ge=1,
        description="Megabytes that a docx, pdf or parquet file may unpack to, and that a json or "
        "html file, or a row of csv or jsonl, may hold; what is larger is named and left out.",
    )
    encoding: str = Field("o200k_base", description="tiktoken encoding that counts tokens.")
    chunk_tokens: int = Field(600, ge=50, description="Tokens of a chunk at most.")
    chunk_overlap: int = Field(100, ge=0, description="Tokens shared by neighbours at most.")
    prepend_metadata: CommaSeparated = Field(
        (), description="Metadata put before each chunk's text for the model, by name."
    )

    # Indexes
    fulltext_analyzer: str = Field(
        "standard-no-stop-words",
        description="Neo4j's analyser for searching words; `cjk` for Chinese, Japanese, Korean.",
    )

    # Extraction
    prompts: Path | None = Field(None, description="Folder of prompt files that replace ours.")
    entity_types: CommaSeparated = Field(
        ("person", "organization", "place", "event", "concept", "product", "work"),
        description="Entity types, comma separated; `any`: the model chooses its own.",
    )
    language: str | None = Field(
        None, description="Language of names and descriptions; without it the text's own."
    )
    gleanings: int = Field(1, ge=0, description="Passes for what the first reading missed.")
    claims: bool = Field(True, description="Whether claims are extracted.")
    claim_gleanings: int = Field(1, ge=0, description="The same passes for claims.")
    entity_specs: CommaSeparated = Field(
        (), description="Names or types that claims may be about; empty: the entity types."
    )
    claim_description: str = Field(
        "Any claims or facts that could be relevant to information discovery.",
        description="Which claims are looked for.",
    )

    # Descriptions
    join_tokens: int = Field(
        160, ge=0, description="Several descriptions up to this size are joined without a model."
    )
    description_tokens: int = Field(
        160, ge=16, description="Tokens of a description that a model has joined, at most."
    )
    summary_context_tokens: int = Field(
        4000, ge=500, description="Tokens of descriptions given to one call; more are folded."
    )

    # Communities and their reports
    max_cluster_size: int = Field(
        10, ge=0, description="Members above which a community is split; 0: while it can be."
    )
    max_levels: int = Field(10, ge=1, description="Levels of communities at most.")
    gamma: float = Field(1.0, gt=0, description="Leiden's resolution: higher, more communities.")
    theta: float = Field(0.01, gt=0, description="Leiden's randomness when it refines.")
    seed: int = Field(42, ge=0, description="Seed of that randomness.")
    unreported_size: int = Field(
        2, ge=0, description="Members up to which a report is made of them, without a model."
    )
    report_context_tokens: int = Field(
        8000, ge=500, description="Tokens of material given to one report, at most."
    )
    report_words: int = Field(1500, ge=100, description="Words of a report, at most.")
    report_role: str = Field(
        "an analyst who writes for decision makers", description="Who the model writes reports as."
    )
    report_rating: str = Field(
        "how much the community matters to someone who wants to understand the whole collection",
        description="What a report's rating from 0 to 10 rates.",
    )

    # Questions
    response_type: str = Field(
        "multiple paragraphs", description="Length and form of answers, in words of your own."
    )
    general_knowledge: bool = Field(
        False, description="Whether an answer may add what the model knows itself; it is marked."
    )
    max_context_tokens: int = Field(
        12_000, ge=500, description="Tokens of material for a local or basic answer, at most."
    )
    map_context_tokens: int = Field(
        8_000, ge=500, description="Tokens of reports for one map call of a global answer."
    )
    data_max_tokens: int = Field(
        8_000, ge=500, description="Tokens of points that a global answer is reduced from."
    )
    map_calls: int = Field(
        32, ge=1, description="Map calls for which the default level of a global answer is chosen."
    )
    map_style: Literal["points", "answer"] = Field(
        "points", description="What a map call gives: rated points, or one rated answer (paper)."
    )
    small_share: float = Field(
        0.1, ge=0, le=1, description="Share of a global answer's tokens for reports without model."
    )
    text_unit_prop: float = Field(
        0.5, ge=0, le=1, description="Share of a local answer's material that is source text."
    )
    community_prop: float = Field(
        0.25, ge=0, le=1, description="Share of a local answer's material that is reports."
    )
    expand: Literal["hop", "ppr"] = Field(
        "ppr",
        description="What surrounds a local answer: one hop, or a walk (personalised PageRank).",
    )
    top_k_entities: int = Field(10, ge=1, description="Entities that a local answer starts from.")
    top_k_relationships: int = Field(
        10, ge=0, description="Outward relationships for each of these entities."
    )
    conversation_history_max_turns: int = Field(
        5, ge=0, description="Turns of a conversation that a question is understood with."
    )
    drift_depth: int = Field(2, ge=0, description="Rounds of follow-up questions of drift search.")
    drift_calls: int = Field(12, ge=1, description="Follow-up questions of drift search, at most.")

    def __init__(self, **values: Any) -> None:  # noqa: ANN401 - checked by pydantic
        """Raises InputError for a name that no setting has."""
        own = [name for name in values if not name.startswith("_")]  # pydantic's begin with "_"
        refuse_unknown(own, _names_in_python(), "setting")
        super().__init__(**values)

    # The working folder
    trust_env_file: bool = Field(
        False,
        description="Whether an address in `.env` may be given a key or a password from elsewhere;"
        " in the environment only.",
    )

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,
        file_secret_settings: PydanticBaseSettingsSource,  # noqa: ARG003 - pydantic's signature
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        """What is given, then the environment with `.env`; raises InputError where these clash."""
        both = beside_environment(init_settings(), env_settings(), dotenv_settings())
        return init_settings, InitSettingsSource(settings_cls, init_kwargs=both)

    def named_by_env_file(self) -> str | None:
        """A sentence with the addresses and folders that the file `.env` has named, if any."""
        used = {name: getattr(self, name) for name in type(self).model_fields}
        return named_by_file(DotEnvSettingsSource(type(self))(), used)

    @field_validator("model")
    @classmethod
    def _renamed(cls, model: str) -> str:
        if model != OLD_EXTRACTIVE:
            return model
        warnings.warn(
            f"KG_MODEL={OLD_EXTRACTIVE} is called KG_MODEL={EXTRACTIVE} now: the next release "
            "knows only the new name.",
            FutureWarning,
            stacklevel=2,
        )
        return EXTRACTIVE

    @validate_model(mode="after")
    def _sizes_fit(self) -> Self:
        if self.text_unit_prop + self.community_prop > 1:
            raise ValueError("KG_TEXT_UNIT_PROP and KG_COMMUNITY_PROP must be at most 1 together")
        if self.chunk_overlap > self.chunk_tokens // 2:
            raise ValueError("KG_CHUNK_OVERLAP must be at most half of KG_CHUNK_TOKENS")
        if (self.input_price is None) != (self.output_price is None):
            raise ValueError("KG_INPUT_PRICE and KG_OUTPUT_PRICE must be set together")
        return self

    @property
    def has_model(self) -> bool:
        """Whether a model endpoint is set and wanted; without one an index is extractive."""
        there = self.openai_api_key is not None or self.openai_base_url is not None
        return there and self.model != EXTRACTIVE

    def changed(self, **given: Any) -> Self:  # noqa: ANN401 - checked by pydantic
        """These settings with some of other values; raises InputError as `load_settings` does."""
        refuse_unknown(given, type(self).model_fields, "setting")
        if not given:
            return self
        now = {name: getattr(self, name) for name in type(self).model_fields}
        try:
            return type(self)(**now | given)
        except ValidationError as error:
            raise InputError(_explain(error)) from None

    def model_for(
        self, step: Literal["extraction", "summary", "report", "answer", "rating"]
    ) -> str:
        """The chat model of one step."""
        own: str | None = getattr(self, f"{step}_model")
        return own or self.model


PLAIN = {
    "bool_parsing": "must be true or false",
    "float_parsing": "must be a number",
    "float_type": "must be a number",
    "greater_than": "must be more than {gt}",
    "greater_than_equal": "must be {ge} or more",
    "int_from_float": "must be a whole number",
    "int_parsing": "must be a whole number",
    "int_type": "must be a whole number",
    "less_than_equal": "must be {le} or less",
    "literal_error": "must be {expected}",
}


def load_settings(**given: Any) -> Settings:  # noqa: ANN401 - checked by pydantic
    """Settings from arguments (None: not given), the environment and `.env`.

    Raises InputError that names the setting and what is wrong with it, also for a name that no
    setting has.
    """
    refuse_unknown(given, _names_in_python(), "setting")
    try:
        return Settings(**{name: value for name, value in given.items() if value is not None})
    except ValidationError as error:
        raise InputError(_explain(error)) from None
    except UnicodeDecodeError:
        raise InputError(
            f"The file {Settings.model_config.get('env_file')} is not UTF-8 text: save it as UTF-8."
        ) from None


def _names_in_python() -> list[str]:
    """Each setting's name, and behind it the other names that it has."""
    names = []
    for name, field in Settings.model_fields.items():
        alias = field.validation_alias
        others = alias.choices if isinstance(alias, AliasChoices) else []
        names += [name, *(str(one) for one in others if one != name)]
    return names


def _explain(error: ValidationError) -> str:
    lines = []
    for problem in error.errors(include_input=False, include_url=False):
        name = "_".join(str(part) for part in problem["loc"]).upper()
        known = name.startswith(("NEO4J_URI", "NEO4J_USER", "NEO4J_PASS", "NEO4J_DATA", "OPENAI_"))
        label = f"{name if known else 'KG_' + name}: " if name else ""
        lines.append(label + _wrong(problem))
    return "; ".join(lines) + "."


def _wrong(problem: ErrorDetails) -> str:
    """What is wrong with a value, in plain words; in pydantic's own for what is rare."""
    plain = PLAIN.get(problem["type"])
    said = problem["msg"].removeprefix("Value error, ")
    return plain.format(**problem.get("ctx", {})) if plain else said

"""Every setting, its default and its purpose.

A setting is looked up in this order: an argument in Python or on the command line, the
environment, a file `.env` in the working folder, the default in this file. The names of our own
settings begin with `KG_`; those of Neo4j and of OpenAI keep the names that their users know.
An address in `.env` is used only with a key or a password in the same `.env` (see `env_file`).
"""

import ast
import inspect
import json
import re
from collections.abc import Mapping
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Annotated, Any, Final, Literal, Self
from urllib.parse import urlsplit, urlunsplit

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
    EnvSettingsSource,
    InitSettingsSource,
    NoDecode,
    PydanticBaseSettingsSource,
    SettingsConfigDict,
)

from graphrag_neo4j.errors import InputError
from graphrag_neo4j.settings.checks import did_you_mean, refuse_unknown
from graphrag_neo4j.settings.env_file import beside_environment, in_environment, named_by_file

Neo4jRelease = Literal["2026.09", "2026.01", "5.26"]
ModelRole = Literal["extraction", "answer", "judge"]
"""The kinds of work that can have a separate model."""
EXTRACTIVE = "extractive"  # the model name that selects the extractive backends
STATIC = "static"  # the embedding model that comes with this package
LOCAL = "local"  # the sentence encoder, which is downloaded and runs on this machine
WITHOUT_ENDPOINT = frozenset({STATIC, LOCAL})  # embedding models
AUTO, EMBEDDED = "auto", "embedded"  # the words that KG_GDS may be
OURS = "KG_"  # the prefix of our own settings in the environment
FOR_TESTS = "KG_TEST_"  # the prefix of names that only the tests of this project read
ENTITY_TYPES = ("person", "organization", "place", "event", "concept", "product", "work")
LOCAL_HOSTS: Final = frozenset({"localhost", "127.0.0.1", "::1"})
MAX_FILE_MB = 100
READ_SECONDS = 300
MOST_DIMENSIONS = 4096  # of a vector that Neo4j can index


def _split(value: Any) -> Any:  # noqa: ANN401 - any value of the environment or the caller
    if not isinstance(value, str):
        return value
    return tuple(part.strip() for part in value.split(",") if part.strip())


def _as_json(value: Any) -> Any:  # noqa: ANN401 - any value of the environment or the caller
    """The fields of an object as text: settings are compared and kept by their values."""
    if isinstance(value, Mapping):
        return json.dumps(value)
    try:
        usable = isinstance(json.loads(value or "{}"), dict)
    except (TypeError, ValueError):
        usable = False
    if not usable:
        raise ValueError('must be an object in JSON, such as {"top_p": 0.9}')
    return value or "{}"


def _address(value: Any) -> Any:  # noqa: ANN401 - any value of the environment or the caller
    """The base address that is meant: without blanks and quotes around it, and empty folders."""
    if not isinstance(value, str):
        return value
    if not (found := value.strip(" \t\r\n\"'“”‘’<>")):
        return None
    try:
        parts = urlsplit(found)
        usable = parts.scheme in {"http", "https"} and parts.hostname and parts.port != 0
    except ValueError:
        usable = None
    if not usable or re.search(r"\s", found):
        raise ValueError("must be an address such as https://a.org/v1 or http://127.0.0.1:8000/v1")
    path = re.sub("/{2,}", "/", parts.path)
    path = re.sub("/(chat/completions|embeddings|models)/?$", "", path)  # of a single call
    return urlunsplit(parts._replace(path=path, fragment=""))


OF_A_QUESTION: Final = (
    *("model", "answer_model", "embedding_model", "embedding_dimensions", "prompts", "language"),
    *("max_cost", "input_price", "output_price", "response_type", "max_context_tokens"),
    *("map_context_tokens", "map_style", "drift_calls"),
)
"""The settings that can have another value for one question."""
Fields = Annotated[str, BeforeValidator(_as_json)]
Address = Annotated[str | None, BeforeValidator(_address)]
CommaSeparated = Annotated[tuple[str, ...], NoDecode, BeforeValidator(_split)]


def _named(name: str) -> AliasChoices:
    """The names of a setting: its name in Python, and the name that other programs use."""
    return AliasChoices(name.lower(), name)


class Settings(BaseSettings):
    """All settings of a run; immutable.

    The text below each is its description in docs/settings.md and .env.example.
    """

    model_config = SettingsConfigDict(
        env_prefix=OURS,
        env_file=".env",
        env_ignore_empty=True,
        extra="ignore",
        frozen=True,
        populate_by_name=True,
    )

    # Neo4j
    neo4j_uri: str | None = Field(None, validation_alias=_named("NEO4J_URI"))
    """Address of a Neo4j server. If it is not set, the embedded server is used."""
    neo4j_username: str = Field("neo4j", validation_alias=_named("NEO4J_USERNAME"))
    """User name on the server of NEO4J_URI."""
    neo4j_password: SecretStr | None = Field(None, validation_alias=_named("NEO4J_PASSWORD"))
    """Password on the server of NEO4J_URI."""
    neo4j_database: str | None = Field(None, validation_alias=_named("NEO4J_DATABASE"))
    """Database on the server of NEO4J_URI. If it is not set, the user's home database is used."""
    home: Path | None = None
    """Folder of the embedded server and its data: one for each corpus. From `.env` it is taken only
    with KG_TRUST_ENV_FILE=true in the environment."""
    neo4j_release: Neo4jRelease = "2026.09"
    """Release line of Neo4j for the embedded server: 2026.09, 2026.01, or the LTS line 5.26."""
    maven_url: str | None = None
    """Address of a Maven repository or mirror. The jars of the embedded server are downloaded from
    it."""
    embedded: bool = True
    """Whether the embedded server is started when NEO4J_URI is not set. If false, NEO4J_URI must be
    set."""

    gds: str = AUTO
    """Where communities are computed: `auto` uses Graph Data Science (GDS) of the database, or else
    the embedded server for this step (never if KG_EMBEDDED is false); `embedded` always uses the
    latter; bolt://host:7687 is another Neo4j with GDS."""
    gds_username: str | None = None
    """User name on the server of KG_GDS, if it is not NEO4J_USERNAME."""
    gds_password: SecretStr | None = None
    """Password on the server of KG_GDS, if it is not NEO4J_PASSWORD."""

    # Model
    openai_api_key: SecretStr | None = Field(None, validation_alias=_named("OPENAI_API_KEY"))
    """API key of the model endpoint."""
    openai_base_url: Address = Field(None, validation_alias=_named("OPENAI_BASE_URL"))
    """Base address of an OpenAI-compatible endpoint. If it is not set, the address of OpenAI is
    used."""
    extra_body: Fields = "{}"
    """Further fields of each call to a chat model, as JSON: `{"enable_thinking": false}`."""
    embedding_extra_body: Fields = "{}"
    """Further fields of each call to the embedding model, as JSON: `{"input_type": "passage"}`."""
    question_extra_body: Fields = "{}"
    """Further fields of a call that embeds a question, beside or instead of those for all texts:
    `{"input_type": "query"}`."""
    model: str = "gpt-4.1-mini"
    """Chat model of every step that has no separate model below. `extractive` means that no model
    is used, even if a key is set."""
    extraction_model: str | None = None
    """Chat model for most calls of an index: extraction, names and descriptions."""
    answer_model: str | None = None
    """Chat model that answers questions."""
    judge_model: str | None = None
    """Chat model that compares answers and finds their claims in an evaluation. Choose another
    family than that of the answers: models prefer their own style."""
    embedding_model: str = "text-embedding-3-small"
    """Embedding model of the endpoint. Two names need none: `local` is a sentence encoder for 15
    languages that runs on this machine, `static` are word vectors that come with this project. An
    extractive index uses `static` if that is set, else `local` if the extra `local` is
    installed."""
    embedding_dimensions: int | None = Field(None, ge=1, le=MOST_DIMENSIONS)
    """Dimensions of the vectors. If it is not set, the embedding model decides."""
    embedding_tokens: int = Field(8000, ge=16)
    """Largest number of tokens of a text that are embedded."""
    concurrency: int = Field(32, ge=1)
    """Largest number of calls to the endpoint at the same time. If the endpoint refuses so many,
    fewer are made for a while."""
    workers: int | None = Field(None, ge=1)
    """Number of workers of `kg-build index --ray`. If it is not set, there is one for each CPU of
    the Ray cluster."""
    timeout: float = Field(120.0, gt=0)
    """Largest number of seconds that a call to the endpoint may take."""
    max_retries: int = Field(5, ge=0)
    """Largest number of retries of a call after HTTP status 408, 409, 429 or 5xx, or a lost
    connection. A call that took too long is retried at most twice."""
    reasoning_tokens: int = Field(8_000, ge=0)
    """Tokens that a model may use for reasoning, beside the limit of each reply."""
    requests_per_minute: int | None = Field(None, ge=1)
    """Largest number of calls to the endpoint in a minute."""
    tokens_per_minute: int | None = Field(None, ge=1)
    """Largest number of tokens sent to and received from the endpoint in a minute."""
    batch_requests: int = Field(50_000, ge=1, le=50_000)
    """Most requests in a batch of the provider. An account with a low limit of tokens in batches
    needs smaller ones."""
    max_cost: float | None = Field(None, ge=0)
    """Largest cost of one run in US dollars, at which it stops; the same command continues it."""
    max_cost_a_day: float | None = Field(None, ge=0)
    """Largest cost of a day (UTC) in US dollars for `kg-build index --watch` and `kg-build serve`,
    over all builds of the graph and the questions of a server. When it is reached, the next build
    starts the next day, and questions are refused until then."""
    serve_token: SecretStr | None = None
    """Token that `kg-build serve` asks for, of at least 20 characters. If it is not set, it is
    random."""
    input_price: float | None = Field(None, ge=0)
    """Price of a million input tokens in US dollars, where it is not known."""
    output_price: float | None = Field(None, ge=0)
    """Price of a million output tokens in US dollars, likewise."""

    # Documents and chunks
    max_file_mb: int = Field(MAX_FILE_MB, ge=1)
    """Largest size in megabytes of what a packed file (docx, pptx, xlsx, epub, parquet) unpacks to,
    of a file that is parsed as a whole, and of a row of a csv or jsonl file. Larger ones are not
    read, and are listed."""
    read_seconds: float = Field(READ_SECONDS, gt=0, le=86_400)
    """Longest time in seconds to read a file that is parsed as a whole: all but text, csv and json.
    A file that takes longer is not read, and is listed."""
    chunk_tokens: int | None = Field(None, ge=50)
    """Largest number of tokens in a chunk. If it is not set, it is 600, or 1,200 with
    KG_EXTRACTION=lean."""
    chunk_overlap: int = Field(100, ge=0)
    """Largest number of tokens that two neighbouring chunks share."""
    prepend_metadata: CommaSeparated = ()
    """Metadata fields of a document that are added to the header of each of its chunks, comma
    separated."""

    # Indexes
    fulltext_analyzer: str | None = None
    """Neo4j's analyser for full-text search in texts, such as `german`. If it is not set, it is
    that of the documents' language, or `standard-no-stop-words` where they have several."""

    # Extraction
    extraction: Literal["paper", "lean"] = "paper"
    """How a model reads documents: `paper` in chunks of 600 tokens with one gleaning, about as in
    the paper; `lean` in chunks of 1,200 tokens without gleanings, for less than half the tokens."""
    prompts: Path | None = None
    """Folder of prompt files. A file in it replaces our prompt file of the same name."""
    entity_types: CommaSeparated = ENTITY_TYPES
    """Types of entities that are extracted, comma separated; `any` lets the model choose them."""
    relation_types: CommaSeparated = ()
    """Predicates of relationships, comma separated, such as `works for, founded`. A model takes one
    of them where it fits, and other words elsewhere."""
    language: str | None = None
    """Language of names, descriptions, reports and answers. If it is not set, the model keeps the
    language of the text or the question."""
    gleanings: int | None = Field(None, ge=0)
    """Largest number of gleanings for each chunk: further requests for the entities and
    relationships, or the claims, that the model has missed. If it is not set, it is 1, or 0 with
    KG_EXTRACTION=lean."""
    claims: bool | None = None
    """Whether claims (dated statements on what an entity did) are extracted. If it is not set, a
    model extracts none, because they make an index about a third more expensive; an extractive
    index has them, because there they are free."""
    resolve: Literal["auto", "rules", "off"] = "auto"
    """Whether several names of one thing become one entity. `rules`: where rules are certain
    (e-mail and email, computer and computers, an explained acronym). `auto`: a model, if one is
    set, also decides about other likely pairs. `off`: only what a person has said counts, and upper
    and lower case differ."""

    join_tokens: int = Field(400, ge=0)
    """Several descriptions with at most this many tokens together are joined line by line, without
    a model. In an extractive index this is at most 160."""

    # Communities and their reports
    max_cluster_size: int = Field(10, ge=0)
    """Communities with more members than this are split further. 0 means that each community is
    split as long as Leiden can split it."""
    report_context_tokens: int = Field(8000, ge=500)
    """Largest number of tokens of the material of one report or summary of descriptions."""
    report_tolerance: float = Field(0.1, ge=0, le=1)
    """Largest share (0 to 1) of the material of a report that may change before a model writes the
    report again. 0 means that every change counts. Reports that stay behind are counted by
    `kg-build status`, and `kg-build index --fresh` writes them again."""

    # Questions
    response_type: str = "multiple paragraphs"
    """Length and form of answers, in your own words."""
    max_context_tokens: int = Field(12_000, ge=500)
    """Largest number of tokens of the context for an answer of local or basic search."""
    map_context_tokens: int = Field(8_000, ge=500)
    """Largest number of tokens of the reports in one map call of global search, of the chunks in
    one of text search, and of the points that the last call joins."""
    max_calls: int = Field(12, ge=1)
    """Largest number of calls in which a global search reads reports if no level is given. If the
    reports need more, those nearest to the question are read."""
    map_style: Literal["points", "answer"] = "points"
    """Result of a map call of global search: `points` gives several rated points, `answer` gives
    one rated answer, as in the paper."""
    drift_calls: int = Field(12, ge=1)
    """Largest number of follow-up questions of one drift search."""

    def __init__(self, **values: Any) -> None:  # noqa: ANN401 - checked by pydantic
        """Raises InputError where a name is not the name of a setting."""
        own = [name for name in values if not name.startswith("_")]  # pydantic's begin with "_"
        refuse_unknown(own, _names_in_python(), "setting")
        super().__init__(**values)

    # The working folder
    trust_env_file: bool = False
    """Whether a key or a password from elsewhere may be sent to an address that `.env` names, and
    whether `.env` may set KG_HOME. This setting is read from the environment only, not from
    `.env`."""

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,
        file_secret_settings: PydanticBaseSettingsSource,  # noqa: ARG003 - pydantic's signature
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        """The arguments first, then the environment with `.env`.

        Raises InputError where `.env` may not be used together with the others (`env_file`).
        """
        both = beside_environment(init_settings(), env_settings(), dotenv_settings())
        return init_settings, InitSettingsSource(settings_cls, init_kwargs=both)

    def named_by_env_file(self) -> str | None:
        """A sentence that lists the addresses and folders that `.env` names; None without any."""
        return named_by_file(DotEnvSettingsSource(type(self))(), dict(self))

    @field_validator("gds")
    @classmethod
    def _place_of_gds(cls, gds: str) -> str:
        if gds in {AUTO, EMBEDDED} or "://" in gds:
            return gds
        raise ValueError("must be auto, embedded or an address such as bolt://localhost:7687")

    @validate_model(mode="after")
    def _sizes_fit(self) -> Self:
        if self.chunk_overlap > self.chunk_size // 2:
            raise ValueError("KG_CHUNK_OVERLAP must be at most half of KG_CHUNK_TOKENS")
        if (self.input_price is None) != (self.output_price is None):
            raise ValueError("KG_INPUT_PRICE and KG_OUTPUT_PRICE must be set together")
        return self

    @property
    def chunk_size(self) -> int:
        """The largest number of tokens in a chunk: that of the user, or else of `extraction`."""
        return self.chunk_tokens or (1_200 if self.extraction == "lean" else 600)

    @property
    def most_gleanings(self) -> int:
        """The largest number of gleanings: that of the user, or else of `extraction`."""
        usual = 0 if self.extraction == "lean" else 1
        return usual if self.gleanings is None else self.gleanings

    @property
    def has_model(self) -> bool:
        """Whether a model endpoint is set and wanted; otherwise everything is extractive."""
        has_endpoint = self.openai_api_key is not None or self.openai_base_url is not None
        return has_endpoint and self.model != EXTRACTIVE

    def changed(self, **given: Any) -> Self:  # noqa: ANN401 - checked by pydantic
        """A copy with the given values in place of the old ones.

        Raises InputError as `load_settings` does.
        """
        refuse_unknown(given, type(self).model_fields, "setting")
        if not given:
            return self
        try:
            return type(self)(**dict(self) | given)
        except ValidationError as error:
            raise InputError(_explain(error)) from None

    def with_key(self, key: str | None) -> Self:
        """A copy with another key for the endpoint, which was checked before."""
        return self.model_copy(update={"openai_api_key": SecretStr(key) if key else None})

    def without_secrets(self) -> Self:
        """A copy without keys and passwords, which may leave this machine."""
        secrets = [name for name, value in self if isinstance(value, SecretStr)]
        return self.model_copy(update=dict.fromkeys(secrets))

    @property
    def lacks_endpoint(self) -> bool:
        """Whether a model is named that can't be asked: there is neither a key nor an endpoint."""
        named = "model" in self.model_fields_set and self.model != EXTRACTIVE
        return named and not self.has_model

    @property
    def graph_name(self) -> str:
        """The name of the graph: its database and server, or its home; "" by default."""
        if self.neo4j_uri:
            place = urlsplit(self.neo4j_uri).netloc
            return f"{self.neo4j_database} at {place}" if self.neo4j_database else place
        # Many homes have the same name, each in the folder of its project.
        return Path(*self.home.absolute().parts[-2:]).as_posix() if self.home else ""

    @property
    def neo4j_is_here(self) -> bool:
        """Whether Neo4j runs on this computer, as far as its address says."""
        return not self.neo4j_uri or urlsplit(self.neo4j_uri).hostname in LOCAL_HOSTS

    def model_for(self, role: ModelRole) -> str:
        """The name of the chat model for one kind of work."""
        own: str | None = getattr(self, f"{role}_model")
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
    "missing": "must be given",
    "string_type": "must be text",
}


def load_settings(**given: Any) -> Settings:  # noqa: ANN401 - checked by pydantic
    """The settings from arguments, the environment and `.env`; an argument of None is ignored.

    Raises InputError that names the setting and the problem with its value, or that names an
    argument that is not a setting.
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


@cache
def descriptions() -> Mapping[str, str]:
    """The text below each setting. Pydantic could read it, but would do so at each import."""
    [settings] = ast.parse(inspect.getsource(Settings)).body
    found = {}
    for field, text in pairwise(getattr(settings, "body", ())):
        match field, text:
            case ast.AnnAssign(ast.Name(name)), ast.Expr(ast.Constant(str(description))):
                found[name] = " ".join(description.split())
    return found


def _names_in_python() -> list[str]:
    """The name of each setting, followed by its other names."""
    names = []
    for name, field in Settings.model_fields.items():
        alias = field.validation_alias
        others = alias.choices if isinstance(alias, AliasChoices) else []
        names += [name, *(str(one) for one in others if one != name)]
    return names


def _explain(error: ValidationError) -> str:
    lines = []
    for problem in error.errors(include_input=False, include_url=False):
        name = "_".join(str(part) for part in problem["loc"])
        what = plain_problem(problem)
        colon = "" if what.startswith("must ") else ":"
        lines.append(f"{in_environment(name)}{colon} {what}" if name else what)
    return "; ".join(lines) + "."


def unknown_names() -> list[str]:
    """A sentence for each name in the environment or `.env` that begins with KG_, but isn't known.

    Names such as KG_NEO4J_URI are also read.
    """
    known = {f"{OURS}{name}".upper() for name in Settings.model_fields}
    known |= {name.upper() for name in _names_in_python()}
    places = {
        "The environment": EnvSettingsSource(Settings).env_vars,
        "The file .env": DotEnvSettingsSource(Settings).env_vars,
    }
    return [
        f"{place} sets {name}, which is not a setting and does nothing."
        f"{did_you_mean(name, sorted(known))}"
        for place, found in places.items()
        for name in sorted(name.upper() for name in found)
        if name.startswith(OURS) and not name.startswith(FOR_TESTS) and name not in known
    ]


def plain_problem(problem: ErrorDetails) -> str:
    """The problem with a value in plain words; a rare problem is in pydantic's words."""
    plain = PLAIN.get(problem["type"])
    message = problem["msg"].removeprefix("Value error, ")
    return plain.format(**problem.get("ctx", {})) if plain else message

"""Limits what a file `.env` can do, because the working folder may come from somebody else.

A folder that was unpacked or cloned can hold a `.env` that names another endpoint or another
Neo4j. So an address from `.env` is used only with a key or a password from the same `.env`. A
notice names each address and folder that comes from `.env`, and the token of `kg-build serve`,
which isn't a secret to whoever wrote the file. The home of the embedded server is not taken from
`.env` at all: its `own.conf` can name plugins, which are programs.
"""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from pydantic import SecretStr

from graphrag_neo4j.errors import InputError

Values = Mapping[str, Any]
TRUST: Final = "trust_env_file"
# An address, the secret that is sent to it, the settings that belong to that secret, and the
# secret that is sent where the first is not set.
PAIRS: Final = (
    ("openai_base_url", "openai_api_key", (), ()),
    ("neo4j_uri", "neo4j_password", ("neo4j_username",), ()),
    ("gds", "gds_password", ("gds_username",), ("neo4j_password",)),
)
# Settings that say where data is sent, fetched or stored, or what the model is asked to do.
PLACES: Final = (
    *("openai_base_url", "neo4j_uri", "neo4j_database", "home", "serve_token", "maven_url", "gds"),
    "prompts",
)
# The beginnings of names that other programs know.
OF_OTHERS: Final = ("NEO4J_URI", "NEO4J_USER", "NEO4J_PASS", "NEO4J_DATA", "OPENAI_")
YES: Final = {"1", "true", "t", "yes", "y", "on"}


def in_environment(name: str) -> str:
    """The name of a setting in the environment.

    >>> in_environment("neo4j_uri"), in_environment("neo4j_release")
    ('NEO4J_URI', 'KG_NEO4J_RELEASE')
    """
    name = name.upper()
    return name if name.startswith(OF_OTHERS) else f"KG_{name}"


def beside_environment(given: Values, environment: Values, file: Values) -> dict[str, Any]:
    """The settings of the environment and of `.env` together, by field name.

    The environment comes first, but an address from `.env` is used with its secret from `.env`.
    `given` holds the arguments, which come before both. Raises InputError where `.env` sets the
    home, and where a secret from elsewhere would be sent to an address from `.env`, unless the
    environment or `given` says that this file is trusted.
    """
    trusted = str(given.get(TRUST, environment.get(TRUST, ""))).lower() in YES
    if "home" in file and not trusted and "home" not in given and "home" not in environment:
        raise InputError(
            "The file .env in this folder sets KG_HOME, and the files of a home can make Neo4j run"
            " programs: if you know that home, set KG_HOME in the environment, or"
            " KG_TRUST_ENV_FILE=true there."
        )
    kept = dict(environment)
    for address, secret, companions, others in PAIRS:
        if address not in file or address in given or address in environment:
            continue
        if address == "gds" and "://" not in file["gds"]:
            continue
        for one in (secret,) if secret in file else (secret, *others):
            if not trusted and (one in given or (one in environment and secret not in file)):
                raise InputError(_refusal(address, secret, one))
        if secret in file:
            for name in (secret, *companions):
                kept.pop(name, None)
    return {**{name: value for name, value in file.items() if name != TRUST}, **kept}


def named_by_file(file: Values, used: Values) -> str | None:
    """A sentence that lists the addresses and folders in use that come from `.env`; None without.

    `file` holds the settings of `.env`, `used` those of the run, both by field name.
    """
    found = [
        in_environment(name) + ("" if name == "serve_token" else f"={_without_secrets(file[name])}")
        for name in PLACES
        if name in file and _same(file[name], used[name])
    ]
    return f"The file .env in this folder sets {', '.join(found)}." if found else None


def _refusal(address: str, secret: str, sent: str) -> str:
    label, own, password = map(in_environment, (address, secret, sent))
    return (
        f"The file .env in this folder sets {label}, and {password} comes from"
        " elsewhere: it is not sent to an address that a folder names. If you know that address,"
        f" put its {own} into the same .env, or set {label} in the"
        " environment, or set KG_TRUST_ENV_FILE=true in the environment."
    )


def _same(written: str, used: object) -> bool:
    if isinstance(used, SecretStr):
        return written == used.get_secret_value()
    return Path(written) == used if isinstance(used, Path) else written == used


def _without_secrets(address: str) -> str:
    """An address without its user, password and query, which may be secret."""
    return re.sub(r"//[^/]*@", "//", address).partition("?")[0]

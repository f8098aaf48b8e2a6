"""Finds names in the environment and in `.env` that begin with KG_ and are not settings."""

from typing import Final

from pydantic import AliasChoices
from pydantic_settings import DotEnvSettingsSource, EnvSettingsSource

from graphrag_neo4j.arguments import did_you_mean
from graphrag_neo4j.settings import OURS, Settings

__all__ = ["unknown_names"]

FOR_TESTS: Final = "KG_TEST_"  # the prefix of names that only the tests of this project read


def unknown_names() -> list[str]:
    """A sentence for each such name, with the most similar name of a setting."""
    known = sorted(_names_in_environment())
    places = {
        "The environment": EnvSettingsSource(Settings).env_vars,
        "The file .env": DotEnvSettingsSource(Settings).env_vars,
    }
    return [
        f"{place} sets {name}, which is not a setting and does nothing.{did_you_mean(name, known)}"
        for place, found in places.items()
        for name in sorted(name.upper() for name in found)
        if name.startswith(OURS) and not name.startswith(FOR_TESTS) and name not in known
    ]


def _names_in_environment() -> set[str]:
    """The names of all settings in the environment; names such as KG_NEO4J_URI are read, too."""
    names = {f"{OURS}{name}".upper() for name in Settings.model_fields}
    for field in Settings.model_fields.values():
        if isinstance(field.validation_alias, AliasChoices):
            names |= {str(one).upper() for one in field.validation_alias.choices}
    return names

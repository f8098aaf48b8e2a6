"""A command whose packages are missing says how to install them; a mistake of ours stays one."""

import pytest

from graphrag_neo4j.cli.options import extra_needed
from graphrag_neo4j.errors import InputError


def test_a_missing_package_is_named_with_the_command_that_installs_it() -> None:
    with (
        pytest.raises(InputError, match=r"The report needs the package scipy: pip install .*eval"),
        extra_needed("eval", "The report needs"),
    ):
        raise ModuleNotFoundError("no module", name="scipy")

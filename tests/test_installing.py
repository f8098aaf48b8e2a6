"""A hint says how to install what is missing from where this package came."""

import json
from pathlib import Path

import pytest

from graphrag_neo4j.settings.installing import install_command

REQUIRES = """\
Requires-Dist: anyio>=4.9
Provides-Extra: docs
Requires-Dist: anyio>=1; extra == 'docs'
Requires-Dist: not-there[crypto]>=7.1; extra == 'docs'
Requires-Dist: not-here-either; python_version > '3' and extra == "docs"
Provides-Extra: other
Requires-Dist: no-such-thing; extra == 'other'
"""


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder that Python looks for installed packages in first, ours being one of them."""
    about = tmp_path / "site" / "graphrag_neo4j-0.1.0.dist-info"
    about.mkdir(parents=True)
    named = "Metadata-Version: 2.1\nName: graphrag-neo4j\nVersion: 0.1.0\n"
    (about / "METADATA").write_text(named + REQUIRES)
    monkeypatch.syspath_prepend(str(about.parent))
    return about


def came_from(site: Path, url: str, **more: object) -> None:
    (site / "direct_url.json").write_text(json.dumps({"url": url, **more}))


def test_it_is_installed_from_where_it_came(site: Path, tmp_path: Path) -> None:
    folder = tmp_path / "a check out"
    folder.mkdir()
    came_from(site, folder.as_uri(), dir_info={})
    assert install_command("docs") == f'pip install "{folder}[docs]"'
    came_from(site, folder.as_uri(), dir_info={"editable": True})
    assert install_command("docs") == f'pip install -e "{folder}[docs]"'
    assert install_command() == f'pip install -e "{folder}"'
    came_from(site, "https://example.org/a.whl", archive_info={})
    assert install_command("x") == 'pip install "graphrag-neo4j[x] @ https://example.org/a.whl"'
    came_from(site, "https://example.org/a.git", vcs_info={"vcs": "git", "commit_id": "abc"})
    command = 'pip install "graphrag-neo4j[x] @ git+https://example.org/a.git@abc"'
    assert install_command("x") == command


def test_from_anywhere_else_the_packages_are_named_with_their_bounds(site: Path) -> None:
    missing = 'pip install "anyio>=1" "not-there[crypto]>=7.1" "not-here-either"'
    assert install_command("docs") == missing
    assert install_command() == 'pip install "anyio>=4.9"'
    came_from(site, "file:///no/longer/there", dir_info={})
    assert install_command("docs") == missing


def test_no_hint_names_the_package_alone() -> None:
    package = Path(__file__).parent.parent / "graphrag_neo4j"
    for file in package.rglob("*.py"):
        text = file.read_text(encoding="utf-8")
        assert "pip install " not in text or file.name == "installing.py", file

"""What the tests of commands begin with."""

from pathlib import Path

import pytest

TALE = "Ebenezer Scrooge met Jacob Marley in London in 1843. Marley was dead in London."


@pytest.fixture
def tales(tmp_path: Path) -> Path:
    """A folder with two small documents."""
    folder = tmp_path / "tales"
    folder.mkdir()
    (folder / "a.txt").write_text(TALE)
    (folder / "b.txt").write_text(TALE.replace("London", "Paris"))
    return folder


@pytest.fixture
def no_model(
    environment: None,  # noqa: ARG001 - it sets what is unset here
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL"):
        monkeypatch.delenv(name)

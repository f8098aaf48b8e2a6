"""`kg-build index` leaves reports as they are after little news; `--fresh` writes them again."""

from pathlib import Path

import pytest

from tests.conftest import Run
from tests.support.fake_endpoint import FakeEndpoint

TALE = "Tiny Tim was the son of Bob Cratchit. Bob Cratchit lived in Camden Town with Tiny Tim. {n}"


@pytest.mark.usefixtures("environment", "graph")
def test_status_says_what_is_behind_and_fresh_brings_it_up_to_date(
    kg: Run,
    endpoint: FakeEndpoint,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name, value in {"CLAIMS": "no", "GLEANINGS": "0", "REPORT_DRIFT": "0.5"}.items():
        monkeypatch.setenv(f"KG_{name}", value)
    for n in range(4):
        (tmp_path / f"{n}.txt").write_text(TALE.format(n=f"This is tale number {n}."))
    assert "behind" not in kg("index", tmp_path).out
    (tmp_path / "new.txt").write_text("Tiny Tim sang a song in Camden Town.")
    endpoint.reset()
    out = kg("index", tmp_path).out
    assert "1 report is behind: " in out
    assert "`kg-build index PATHS --fresh` brings it up to date." in out
    assert endpoint.count("json:community_report") == 0
    assert 0 < kg("status", "--json").json["behind"]["largest"] <= 0.5
    fresh = kg("index", tmp_path, "--fresh")
    assert "behind" not in fresh.out
    assert endpoint.count("json:community_report") == 1
    endpoint.reset()
    assert kg("index", tmp_path, "--fresh").code == 0
    assert endpoint.log == []

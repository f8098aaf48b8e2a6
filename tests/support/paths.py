"""Where the checkout and the data of the tests are."""

from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).parents[2]
DATA: Final = ROOT / "tests" / "data"

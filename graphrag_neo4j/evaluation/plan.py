"""What the user asked for in an evaluation: the file `evaluation.json` in its folder.

A later command continues with it, so that a choice is made once. A person may edit the file.
"""

import json
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, ClassVar, Final, Self

from graphrag_neo4j.errors import InputError
from graphrag_neo4j.evaluation.model import METRICS, Metric
from graphrag_neo4j.evaluation.records import validated
from graphrag_neo4j.files import write_whole

__all__ = ["PAPER", "PLAN", "Plan"]

PLAN: Final = "evaluation.json"
PAPER: Final = ("C0", "C1", "C2", "C3", "TS", "SS")
"""The conditions of the paper, which answer where no others are chosen."""


@dataclass(frozen=True, slots=True)
class Plan:
    """What the user asked for.

    `description` says what the corpus is, for the questions. `personas`, `tasks` (of each persona)
    and `questions` (for each task) are the numbers of Algorithm 1. `conditions` answer the
    questions (see `parse_condition`); without any, those of the paper do. `window` is the largest
    number of tokens of each context of the conditions of the paper. `metrics` are what a judge
    compares, `repeats` times.
    """

    __pydantic_config__: ClassVar = {"extra": "forbid"}
    description: str = ""
    personas: int = 5
    tasks: int = 5
    questions: int = 5
    conditions: tuple[str, ...] = ()
    window: int = 8_000
    metrics: tuple[Metric, ...] = METRICS
    repeats: int = 5

    @classmethod
    def read(cls, folder: Path) -> Self:
        """Returns the plan of a folder, or the plan that everyone begins with.

        Raises InputError if the file can't be read or holds something else.
        """
        path = folder / PLAN
        try:
            text = path.read_text("utf-8-sig")
        except FileNotFoundError:
            return cls()
        except (OSError, UnicodeError) as error:
            raise InputError(f"{path} can't be read: {error}.") from None
        return validated(text, cls, str(path))

    def write(self, folder: Path) -> None:
        """Writes the plan to a folder, which is made if it does not exist.

        Raises InputError if that can't be done.
        """
        text = json.dumps(asdict(self), ensure_ascii=False, indent=2) + "\n"
        try:
            folder.mkdir(parents=True, exist_ok=True)
            write_whole(folder / PLAN, text.encode())
        except OSError as error:
            reason = error.strerror or error
            raise InputError(f"{folder} can't be written: {reason}. Name another folder.") from None

    def changed(self, **given: Any) -> Self:  # noqa: ANN401 - fields of the plan
        """Returns the plan with the given values in the place of the old ones; None keeps one."""
        return replace(self, **{name: value for name, value in given.items() if value is not None})

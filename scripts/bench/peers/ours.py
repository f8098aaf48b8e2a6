"""Drives this project, inside an environment of its own, by its command `kg-build`.

    python ours.py (index|add) HOME FOLDER
    python ours.py ask HOME METHOD QUESTION
    python ours.py count HOME

All settings are the defaults, but for the endpoint and the number of calls at once. HOME is not
used: everything is in the Neo4j that the environment names.
"""

import json
import subprocess
import sys
from pathlib import Path

KG_BUILD = Path(sys.executable).parent / "kg-build"


def main() -> int:
    command, _, *rest = sys.argv[1:]
    match command:
        case "ask":
            return _kg_build("query", rest[1], "--method", rest[0])
        case "count":
            return _count()
        case _:
            return _kg_build("index", rest[0])


def _kg_build(*arguments: str) -> int:
    return subprocess.call([str(KG_BUILD), *arguments])


def _count() -> int:
    status = json.loads(subprocess.check_output([str(KG_BUILD), "status", "--json"]))
    pending = sum(status["pending"].values())
    print(json.dumps(status["counts"] | {"pending items": pending}))
    return 0


if __name__ == "__main__":
    sys.exit(main())

"""Writes the answers of microsoft/graphrag 3.3 to the questions of an evaluation.

python graphrag_answers.py ROOT study/questions.jsonl graphrag.jsonl

ROOT is the folder in which `graphrag index` has run.
"""

import asyncio
import json
import sys
import time
from pathlib import Path

import pandas as pd
from graphrag import api
from graphrag.config.load_config import load_config

LEVEL = 1
TABLES = ("entities", "communities", "community_reports")


async def main(root: Path, questions: Path, target: Path) -> None:
    config = load_config(root)  # it changes the working folder
    tables = {name: pd.read_parquet(root / "output" / f"{name}.parquet") for name in TABLES}
    with target.open("w", encoding="utf-8") as file:
        for line in questions.read_text("utf-8").splitlines():
            question = json.loads(line)["text"]
            began = time.perf_counter()
            answer, context = await api.global_search(
                config=config,
                **tables,
                community_level=LEVEL,
                dynamic_community_selection=False,
                response_type="multiple paragraphs",
                query=question,
            )
            seconds = time.perf_counter() - began
            sources = [
                {
                    "source": f"report {row.id}",
                    "text": row.content,
                    "citation": f"[Data: Reports ({row.id})]",
                }
                for row in context["reports"].itertuples()
            ]
            written = {"question": question, "answer": str(answer), "sources": sources}
            written |= {"units": len(sources), "seconds": seconds}
            file.write(json.dumps(written, ensure_ascii=False) + "\n")


asyncio.run(main(*(Path(one).resolve() for one in sys.argv[1:4])))

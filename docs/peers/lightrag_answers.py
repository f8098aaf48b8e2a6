"""Indexes texts with LightRAG 1.5 (lightrag-hku), and writes its answers to the questions.

OPENAI_API_KEY=… python lightrag_answers.py study/questions.jsonl lightrag.jsonl TEXT…
"""

import asyncio
import json
import os
import sys
import time
from pathlib import Path

from lightrag import LightRAG, QueryParam
from lightrag.llm.openai import openai_complete_if_cache, openai_embed
from lightrag.utils import EmbeddingFunc, TokenTracker

URL = os.environ.get("OPENAI_BASE_URL", "https://api.openai.com/v1")
MODEL, EMBEDDING, DIMENSIONS = "gpt-4.1-mini", "text-embedding-3-small", 1536
MODE = "mix"
used = TokenTracker()


async def complete(prompt, system_prompt=None, history_messages=(), **options):
    return await openai_complete_if_cache(
        MODEL,
        prompt,
        system_prompt=system_prompt,
        history_messages=list(history_messages),
        base_url=URL,
        token_tracker=used,
        **options,
    )


async def embed(texts):
    return await openai_embed.func(texts, model=EMBEDDING, base_url=URL)


async def main(questions: Path, target: Path, texts: list[Path]) -> None:
    rag = LightRAG(
        working_dir="lightrag",
        llm_model_func=complete,
        embedding_func=EmbeddingFunc(DIMENSIONS, embed, max_token_size=8192),
        enable_llm_cache=False,
    )
    await rag.initialize_storages()
    for path in texts:
        await rag.ainsert(path.read_text("utf-8"), file_paths=str(path))
    with target.open("w", encoding="utf-8") as file:
        for line in questions.read_text("utf-8").splitlines():
            written = await answer(rag, json.loads(line)["text"])
            file.write(json.dumps(written, ensure_ascii=False) + "\n")
    await rag.finalize_storages()


async def answer(rag: LightRAG, question: str) -> dict[str, object]:
    used.reset()
    began = time.perf_counter()
    found = await rag.aquery_llm(question, QueryParam(mode=MODE))
    seconds = time.perf_counter() - began
    took, data = used.get_usage(), found.get("data", {})
    return {
        "question": question,
        "answer": found["llm_response"]["content"] or "",
        "sources": [
            {
                "source": one["file_path"],
                "text": one["content"],
                "citation": f"[{one['reference_id']}]",
            }
            for one in data.get("chunks", [])
        ],
        "calls": took["call_count"],
        "input_tokens": took["prompt_tokens"],
        "output_tokens": took["completion_tokens"],
        "units": sum(len(data.get(part, [])) for part in ("entities", "relationships", "chunks")),
        "seconds": seconds,
    }


asyncio.run(main(Path(sys.argv[1]), Path(sys.argv[2]), [Path(one) for one in sys.argv[3:]]))

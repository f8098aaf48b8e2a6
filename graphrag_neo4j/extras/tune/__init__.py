"""Fits the prompts to a corpus: `tune` reads a sample of it and writes a folder of prompt files.

`sample` chooses passages, `tune` estimates what asking costs, asks a model and makes prompt files,
and `result` writes them, with a page, without losing what a person changed.
"""

from graphrag_neo4j.extras.tune.fit import Wishes, check_tuning, tune
from graphrag_neo4j.extras.tune.result import EntityType, TunedExample, Tuning
from graphrag_neo4j.extras.tune.sample import SampledPassage, read_sample

__all__ = [
    "EntityType",
    "SampledPassage",
    "TunedExample",
    "Tuning",
    "Wishes",
    "check_tuning",
    "read_sample",
    "tune",
]

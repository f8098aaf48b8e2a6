"""Fits the prompts to a corpus: `tune` reads a sample of it and writes a folder of prompt files.

`sample` chooses passages, `tune` estimates what asking costs, asks a model and makes prompt files,
and `result` writes them, with a page, without losing what a person changed.
"""

from graphrag_neo4j.index.tuning.result import (
    EntityType,
    TunedExample,
    Tuning,
    Written,
    check_folder,
    setting_lines,
)
from graphrag_neo4j.index.tuning.sample import Passage, Sample, read_sample
from graphrag_neo4j.index.tuning.tune import (
    TuneEstimate,
    Wishes,
    check_tuning,
    estimate_tuning,
    tune,
)

__all__ = [
    "EntityType",
    "Passage",
    "Sample",
    "TuneEstimate",
    "TunedExample",
    "Tuning",
    "Wishes",
    "Written",
    "check_folder",
    "check_tuning",
    "estimate_tuning",
    "read_sample",
    "setting_lines",
    "tune",
]

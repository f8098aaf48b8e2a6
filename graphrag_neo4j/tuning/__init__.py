"""Fits the prompts to a corpus: `tune` reads a sample of it and writes a folder of prompt files.

`sample` chooses passages, `estimate` tells what asking costs, `tune` asks a model, `prompt_files`
makes prompt files and a page, and `folder` writes them without losing what a person changed.
"""

from graphrag_neo4j.tuning.estimate import TuneEstimate, estimate_tuning
from graphrag_neo4j.tuning.folder import Written, check_folder
from graphrag_neo4j.tuning.page import setting_lines
from graphrag_neo4j.tuning.result import EntityType, TunedExample, Tuning
from graphrag_neo4j.tuning.sample import Passage, Sample, read_sample
from graphrag_neo4j.tuning.tune import Wishes, check_tuning, tune

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

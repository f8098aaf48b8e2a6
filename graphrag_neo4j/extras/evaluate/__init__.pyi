"""Measures how good answers are, on one's own documents and with one's own model."""

from .evaluation import Evaluation as Evaluation

"""The report of an evaluation: its tables and comparisons as a web page, Markdown and CSV.

    folder ──read_report──▶ Report ──▶ page()       one HTML file
                                   ├─▶ markdown()   its tables
                                   └─▶ csv_files()  one file for each table, answers and verdicts

It asks no model and needs no Neo4j. It needs the packages of the extra `eval`.
"""

from graphrag_neo4j.evaluation.report.reading import Report, read_report
from graphrag_neo4j.evaluation.report.tables import Column, Table

__all__ = ["Column", "Report", "Table", "read_report"]

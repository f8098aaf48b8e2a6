"""Measures how good answers are, on one's own documents and with one's own model.

The method is that of the paper (arXiv 2404.16130): questions are made from a description of the
corpus, several conditions answer them, and a judge compares the answers two by two. It adds what
the paper does not measure: the position bias of the judge, and groundedness. An evaluation is a
folder of plain files, one record a line, so each step can be stopped and continued.

The class is imported when it is first used: the records need neither Neo4j nor a model.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)

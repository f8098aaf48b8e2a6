// The analysers that full-text indexes may have.
CALL db.index.fulltext.listAvailableAnalyzers() YIELD analyzer
RETURN analyzer ORDER BY analyzer

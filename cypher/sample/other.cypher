// Tells whether the graph has another document than those of these names, or a list by a model of the user.
RETURN EXISTS {
    MATCH (document:Document:KgBuild) WHERE NOT document.name IN $sources
  } OR EXISTS {
    MATCH (chunk:Chunk:KgBuild {extraction: 'done'})
    WHERE NOT (chunk.extraction_with STARTS WITH $extractive OR chunk.extraction_with STARTS WITH $sample)
  } AS found

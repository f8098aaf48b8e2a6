// Items that are pending or have failed, with the reasons.
CALL () {
  MATCH (x:Chunk) WHERE x.extraction IN ['pending', 'failed']
  RETURN 'chunk to read' AS what, x.extraction_error AS reason
  UNION ALL
  MATCH (x:Chunk) WHERE x.claims IN ['pending', 'failed']
    AND NOT EXISTS { (:State {id: 'graph', claims: false}) }
  RETURN 'chunk to read for claims' AS what, x.claims_error AS reason
  UNION ALL
  MATCH (x:Entity) WHERE x.stale = true OR x.undescribed = true
  RETURN 'entity to describe' AS what, x.description_error AS reason
  UNION ALL
  MATCH ()-[x:RELATED]->() WHERE x.stale = true OR x.undescribed = true
  RETURN 'relationship to describe' AS what, x.description_error AS reason
  UNION ALL
  MATCH (x:Community) WHERE x.stale = true
  RETURN 'community to report on' AS what, x.report_error AS reason
  UNION ALL
  MATCH (x:Chunk|Entity|Community) WHERE x.unembedded = true
  RETURN 'text to embed' AS what, x.embedding_error AS reason
}
RETURN what, reason, count(*) AS number ORDER BY number DESC, what, reason

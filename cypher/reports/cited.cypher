// Reads the ids of cited records by kind and ref, and what tells their content in any graph.
UNWIND $citations AS citation
CALL (citation) {
  WITH citation WHERE citation.kind = 'Entities'
  MATCH (x:Entity:KgBuild {ref: citation.ref}) RETURN x.id AS id, x.id AS content
  UNION
  WITH citation WHERE citation.kind = 'Relationships'
  MATCH (:KgBuild)-[x:RELATED {ref: citation.ref}]->(:KgBuild) RETURN x.id AS id, x.id AS content
  UNION
  WITH citation WHERE citation.kind = 'Claims'
  MATCH (x:Claim:KgBuild {ref: citation.ref}) RETURN x.id AS id, x.id AS content
  UNION
  WITH citation WHERE citation.kind = 'Reports'
  MATCH (x:Community:KgBuild {ref: citation.ref})
  RETURN x.id AS id, coalesce(x.report_hash, x.id) AS content
  UNION
  WITH citation WHERE citation.kind = 'Sources'
  MATCH (x:Chunk:KgBuild {ref: citation.ref}) RETURN x.id AS id, x.id AS content
}
RETURN citation.kind AS kind, citation.ref AS ref, id, content

// Reads the ids of cited records by kind and ref.
UNWIND $citations AS citation
CALL (citation) {
  WITH citation WHERE citation.kind = 'Entities'
  MATCH (x:Entity {ref: citation.ref}) RETURN x.id AS id
  UNION
  WITH citation WHERE citation.kind = 'Relationships'
  MATCH ()-[x:RELATED {ref: citation.ref}]->() RETURN x.id AS id
  UNION
  WITH citation WHERE citation.kind = 'Claims'
  MATCH (x:Claim {ref: citation.ref}) RETURN x.id AS id
  UNION
  WITH citation WHERE citation.kind = 'Reports'
  MATCH (x:Community {ref: citation.ref}) RETURN x.id AS id
  UNION
  WITH citation WHERE citation.kind = 'Sources'
  MATCH (x:Chunk {ref: citation.ref}) RETURN x.id AS id
}
RETURN citation.kind AS kind, citation.ref AS ref, id

// Draws how the findings of one community rest on chunks and documents.
MATCH cites = (:Community {ref: $community})-[:HAS_FINDING]->(finding:Finding)-[:CITES]->(cited)
WITH cites, finding, cited ORDER BY finding.index, cited:Entity, cited:Claim, cited.ref
LIMIT 25
CALL (cited) {
  OPTIONAL MATCH place = (cited)-[:FROM|MENTIONS*0..1]-(chunk:Chunk)-[:PART_OF]->(:Document)
  RETURN place ORDER BY chunk.ref LIMIT 2
}
RETURN cites, place

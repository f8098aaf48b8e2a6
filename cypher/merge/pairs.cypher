// Reads a page of marked pairs with all their statements and the documents of these; does a statement
// go from the start of the pair to its end?
MATCH (start:KgBuild)-[pair:RELATED]->(:KgBuild) WHERE pair.stale = true
WITH start, pair LIMIT $limit
RETURN pair.id AS id,
  COLLECT { MATCH (source)-[stated:STATED {pair: pair.id}]->()
            MATCH (chunk:Chunk {id: stated.chunk})
            RETURN [chunk.document, chunk.id, source = start, stated.strengths, stated.predicates,
                    CASE WHEN stated.properties IS NULL THEN {} ELSE properties(stated) END]
  } AS stated,
  pair.properties AS properties

// Reads a page of marked pairs with all their statements.
MATCH ()-[pair:RELATED]->() WHERE pair.stale = true
WITH pair LIMIT $limit
RETURN pair.id AS id,
  COLLECT { MATCH ()-[stated:STATED {pair: pair.id}]->() RETURN stated.strengths } AS strengths

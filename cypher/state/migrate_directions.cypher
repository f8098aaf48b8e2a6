// Saves the direction of most statements of each pair, which version 3 of the schema introduced.
// Communities are not marked: their reports are paid for, and stand until something else changes.
MATCH (start)-[pair:RELATED]->()
CALL (start, pair) {
  MATCH (source)-[stated:STATED {pair: pair.id}]->()
  RETURN sum(CASE WHEN source = start THEN size(stated.strengths) ELSE 0 END) AS forward,
         sum(CASE WHEN source = start THEN 0 ELSE size(stated.strengths) END) AS backward
}
SET pair.reversed = backward > forward,
    pair.opposite = CASE WHEN backward > forward THEN forward ELSE backward END

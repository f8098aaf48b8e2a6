// Removes those of these pairs that no chunk states any more.
UNWIND $pairs AS id
MATCH ()-[pair:RELATED {id: id}]->()
WHERE NOT EXISTS { MATCH ()-[:STATED {pair: id}]->() }
DELETE pair

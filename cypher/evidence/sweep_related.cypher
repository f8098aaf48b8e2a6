// Removes the pairs that no chunk states, of these.
UNWIND $pairs AS id
MATCH ()-[pair:RELATED {id: id}]->()
WHERE NOT EXISTS { MATCH ()-[:STATED {pair: id}]->() }
DELETE pair

// Creates the pairs that chunks state, and marks them for the stage merge.
UNWIND $rows AS row
MATCH (a:Entity {id: row.start}), (b:Entity {id: row.end})
MERGE (a)-[pair:RELATED {id: row.id}]->(b)
  ON CREATE SET pair.ref = row.ref
SET pair.stale = true

// Links claims to other objects than before.
UNWIND $rows AS row
MATCH (claim:Claim {id: row.claim})-[about:OBJECT]->(:Entity {id: row.entity})
MATCH (target:Entity {id: row.target})
DELETE about
CREATE (claim)-[:OBJECT {name: row.name}]->(target)

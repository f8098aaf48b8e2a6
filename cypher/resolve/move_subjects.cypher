// Links claims to other subjects than before.
UNWIND $rows AS row
MATCH (claim:Claim {id: row.claim})-[about:SUBJECT]->(:Entity {id: row.entity})
MATCH (target:Entity {id: row.target})
DELETE about
CREATE (claim)-[:SUBJECT {name: row.name}]->(target)

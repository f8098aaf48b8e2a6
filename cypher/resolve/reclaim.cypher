// Links claims to other subjects and objects than before.
UNWIND $rows AS row
MATCH (claim:Claim {id: row.claim})-[about:SUBJECT|OBJECT]->(:Entity {id: row.entity})
WHERE type(about) = row.type
MATCH (target:Entity {id: row.target})
DELETE about
FOREACH (_ IN CASE row.type WHEN 'SUBJECT' THEN [1] ELSE [] END |
  CREATE (claim)-[:SUBJECT {name: row.new}]->(target))
FOREACH (_ IN CASE row.type WHEN 'OBJECT' THEN [1] ELSE [] END |
  CREATE (claim)-[:OBJECT {name: row.new}]->(target))

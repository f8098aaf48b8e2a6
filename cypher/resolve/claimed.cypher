// Reads the links of claims to entities, with the spelling.
UNWIND $entities AS id
MATCH (claim:Claim)-[about:SUBJECT|OBJECT]->(:Entity {id: id})
RETURN claim.id AS claim, type(about) AS type, id AS entity, about.name AS name

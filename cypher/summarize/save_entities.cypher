// Descriptions, what each was made of and with, and the texts of its groups if there are any.
// Communities that show them are marked; the entities wait for a look at their vectors.
UNWIND $rows AS row
MATCH (x:Entity {id: row.id})
SET x.description = row.description, x.description_hash = row.hash,
    x.description_with = row.with, x.groups = row.groups, x.group_texts = row.group_texts,
    x.unembedded = true
REMOVE x.undescribed, x.description_error
WITH x
MATCH (x)-[:IN_COMMUNITY]->()-[:PARENT*0..]->(community:Community)
SET community.stale = true

// Saves descriptions, the hash of their texts, the signature, and the summaries of their groups.
// Marks the communities that contain the pairs for new reports.
UNWIND $rows AS row
MATCH (a)-[x:RELATED {id: row.id}]->(b)
SET x.description = row.description, x.description_hash = row.hash,
    x.description_with = row.with, x.groups = row.groups, x.group_texts = row.group_texts,
    x.description_sample = row.sample
REMOVE x.undescribed, x.description_error
WITH a, b
UNWIND [a, b] AS end
MATCH (end)-[:IN_COMMUNITY]->(:KgBuild) (()-[:PARENT]->(:KgBuild))* (community:Community:KgBuild)
SET community.stale = true

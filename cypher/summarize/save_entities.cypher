// Saves descriptions, the hash of their texts, the signature, and the summaries of their groups.
// Marks the entities to be embedded, and the communities that contain them for new reports.
UNWIND $rows AS row
MATCH (x:Entity {id: row.id})
SET x.description = row.description, x.description_hash = row.hash,
    x.description_with = row.with, x.groups = row.groups, x.group_texts = row.group_texts,
    x.description_sample = row.sample,
    x.unembedded = true
REMOVE x.undescribed, x.description_error
WITH x
MATCH (x)-[:IN_COMMUNITY]->(:KgBuild) (()-[:PARENT]->(:KgBuild))* (community:Community:KgBuild)
SET community.stale = true

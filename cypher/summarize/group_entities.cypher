// Saves the summary of one more group for each entity.
UNWIND $rows AS row
MATCH (x:Entity {id: row.id})
SET x.groups = coalesce(x.groups, []) + row.group,
    x.group_texts = coalesce(x.group_texts, []) + row.text

// Descriptions, what each was made of and with, and the texts of its groups if there are any.
UNWIND $rows AS row
MATCH (x:Entity {id: row.id})
SET x.description = row.description, x.description_hash = row.hash,
    x.description_with = row.with, x.groups = row.groups, x.group_texts = row.group_texts
REMOVE x.undescribed, x.description_error

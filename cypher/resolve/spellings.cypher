// Saves spellings that have been decided about: what they are, and the entity with their evidence.
UNWIND $rows AS row
MERGE (spelling:Spelling:KgBuild {id: row.id})
SET spelling.name = row.name, spelling.type = row.type, spelling.n = row.n,
    spelling.documents = row.documents, spelling.key = row.key, spelling.entity = row.entity,
    spelling.first_word = row.first_word, spelling.last_word = row.last_word,
    spelling.initials = row.initials

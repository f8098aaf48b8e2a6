// Marks spellings for the stage resolve.
UNWIND $ids AS id
MATCH (spelling:Spelling {id: id})
SET spelling.unresolved = true

// Removes those of these spellings that no decision is about.
UNWIND $ids AS id
MATCH (spelling:Spelling {id: id})
WHERE NOT EXISTS { (spelling)-[:COMPARED]-(:KgBuild) }
DETACH DELETE spelling

// Counts the entities and spellings that wait for the stage resolve.
RETURN COUNT { MATCH (x:Entity:KgBuild) WHERE x.unresolved = true }
     + COUNT { MATCH (x:Spelling:KgBuild) WHERE x.unresolved = true } AS n

// Counts the entities and spellings that wait for the stage resolve, and the entities that wait for a
// model's comparison.
RETURN COUNT { MATCH (x:Entity:KgBuild) WHERE x.unresolved = true }
     + COUNT { MATCH (x:Spelling:KgBuild) WHERE x.unresolved = true } AS unresolved,
       COUNT { MATCH (x:Entity:KgBuild) WHERE x.uncompared = true } AS uncompared

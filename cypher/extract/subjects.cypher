// Links claims to their subjects, with the spelling; their chunks also mention these entities.
UNWIND $rows AS row
MATCH (claim:Claim {id: row.claim})-[:FROM]->(chunk:Chunk:KgBuild), (entity:Entity {id: row.entity})
MERGE (claim)-[subject:SUBJECT]->(entity)
SET subject.name = row.name
REMOVE claim.subject_text
MERGE (chunk)-[mention:MENTIONS]->(entity)
  ON CREATE SET mention.names = [], mention.types = [], mention.descriptions = []

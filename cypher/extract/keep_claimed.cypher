// Chunks that were read anew still mention what their claims are about.
UNWIND $chunks AS id
MATCH (chunk:Chunk {id: id})<-[:FROM]-(:Claim)-[:SUBJECT|OBJECT]->(entity:Entity)
MERGE (chunk)-[mention:MENTIONS]->(entity)
  ON CREATE SET mention.names = [], mention.types = [], mention.descriptions = []

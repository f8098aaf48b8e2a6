// Reads the names that chunks use for the entities that they mention.
UNWIND $chunks AS id
MATCH (:Chunk {id: id})-[mention:MENTIONS]->(:Entity:KgBuild)
UNWIND mention.names AS name
RETURN id AS chunk, collect(DISTINCT name) AS names

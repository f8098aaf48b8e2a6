// Reads what chunks say about entities, with the names that they use.
UNWIND $entities AS id
MATCH (:Entity {id: id})<-[mention:MENTIONS]-(:Chunk)
UNWIND range(0, size(mention.descriptions) - 1) AS i
RETURN DISTINCT mention.names[i] AS name, mention.descriptions[i] AS text
ORDER BY size(text), text

// Reads what chunks say about entities, with the names that they use: the shortest descriptions, at
// most $most of a name.
UNWIND $entities AS id
MATCH (:Entity {id: id})<-[mention:MENTIONS]-(:Chunk:KgBuild)
UNWIND range(0, size(mention.descriptions) - 1) AS i
WITH DISTINCT mention.names[i] AS name, mention.descriptions[i] AS text
WHERE text <> ''
ORDER BY size(text), text
WITH name, collect(text)[..$most] AS texts
UNWIND texts AS text
RETURN name, text ORDER BY size(text), text

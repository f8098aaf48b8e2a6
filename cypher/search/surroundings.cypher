// Expands the graph around entities and chunks in two steps. Each step keeps the nodes that a
// random walk reaches with the highest probability, and its starting nodes, whose share is set
// higher. Then come the chunks that mention these entities, and the relationships between them. A
// mention is titled if the title of the chunk's document is the entity: "Ada Lovelace (poet)".
// Of a hub only the relationships and chunks that the stage merge has listed are read.
// The result is in columns: thousands of rows as lists of maps take half as long again.
WITH COLLECT { MATCH (e:Entity:KgBuild) WHERE e.id IN $entities RETURN e } AS seeds,
     COLLECT { MATCH (c:Chunk:KgBuild) WHERE c.id IN $chunks RETURN c } AS passages
CALL (seeds, passages) {
  CALL (seeds, passages) {
    UNWIND seeds AS n
    RETURN n, 1000.0 AS share
    UNION ALL
    UNWIND seeds AS e
    WITH e WHERE e.top_pairs IS NULL
    WITH e, 1.0 / (1 + COUNT { (e)-[:RELATED]-(:KgBuild) }) AS share
    MATCH (e)-[:RELATED]-(n:Entity:KgBuild)
    RETURN n, share
    UNION ALL
    UNWIND seeds AS e
    WITH e, 1.0 / (1 + e.degree) AS share
    UNWIND e.top_pairs AS id
    MATCH (a)-[:RELATED {id: id}]->(b)
    RETURN CASE WHEN a = e THEN b ELSE a END AS n, share
    UNION ALL
    UNWIND passages AS c
    WITH c, 1.0 / (1 + COUNT { (c)-[:MENTIONS]->(:KgBuild) }) AS share
    MATCH (c)-[:MENTIONS]->(n:Entity:KgBuild)
    RETURN n, share
  }
  WITH n, sum(share) AS share ORDER BY share DESC, n.id LIMIT $near
  RETURN collect(n) AS near
}
CALL (near) {
  CALL (near) {
    UNWIND near AS n
    RETURN n, 1000.0 AS share
    UNION ALL
    UNWIND near AS e
    WITH e WHERE e.top_pairs IS NULL
    WITH e, 1.0 / (1 + COUNT { (e)-[:RELATED]-(:KgBuild) }) AS share
    MATCH (e)-[:RELATED]-(n:Entity:KgBuild)
    RETURN n, share
    UNION ALL
    UNWIND near AS e
    WITH e, 1.0 / (1 + e.degree) AS share
    UNWIND e.top_pairs AS id
    MATCH (a)-[:RELATED {id: id}]->(b)
    RETURN CASE WHEN a = e THEN b ELSE a END AS n, share
  }
  WITH n, sum(share) AS share ORDER BY share DESC, n.id LIMIT $far
  RETURN collect(n) AS around
}
CALL (around, passages) {
  CALL (around, passages) {
    UNWIND passages AS c
    RETURN c, 1000.0 AS share
    UNION ALL
    UNWIND around AS e
    WITH e WHERE e.top_chunks IS NULL
    WITH e, 1.0 / (1 + COUNT { (e)<-[:MENTIONS]-(:KgBuild) }) AS share
    MATCH (e)<-[:MENTIONS]-(c:Chunk:KgBuild)
    RETURN c, share
    UNION ALL
    UNWIND around AS e
    WITH e, 1.0 / (1 + COUNT { (e)<-[:MENTIONS]-() }) AS share
    UNWIND e.top_chunks AS id
    MATCH (c:Chunk {id: id})
    RETURN c, share
  }
  WITH c, sum(share) AS share ORDER BY share DESC, c.id LIMIT $most
  RETURN collect(c) AS told
}
// In columns: thousands of rows as lists of maps take half as long again.
CALL (seeds) {
  UNWIND seeds AS e
  // The mentions of a hub are too many to look at each.
  WITH e, CASE WHEN e.top_chunks IS NULL THEN COUNT { (e)<-[:MENTIONS]-(:KgBuild) }
               ELSE COUNT { (e)<-[:MENTIONS]-() } END AS n
  RETURN {entity: collect(e.id), chunks: collect(n)} AS known
}
CALL (around) {
  // A relationship is read from its start; with a hub at one end, from the other end; between two
  // hubs, by both of their lists.
  CALL (around) {
    UNWIND around AS e
    WITH e WHERE e.top_pairs IS NULL
    MATCH (e)-[r:RELATED]-(n:Entity:KgBuild)
    WHERE n IN around AND (startNode(r) = e OR n.top_pairs IS NOT NULL)
    RETURN r
    UNION
    UNWIND around AS e
    UNWIND e.top_pairs AS id
    MATCH (a)-[r:RELATED {id: id}]->(b)
    WHERE a IN around AND b IN around
    RETURN r
  }
  RETURN {id: collect(r.id), source: collect(startNode(r).id), target: collect(endNode(r).id),
          weight: collect(coalesce(r.weight, 1))} AS related
}
CALL (around, told) {
  UNWIND told AS c
  MATCH (c)-[:PART_OF]->(d:Document:KgBuild)
  WITH c, toLower(coalesce(d.title, '')) AS title
  MATCH (c)-[:MENTIONS]->(e:Entity:KgBuild) WHERE e IN around
  WITH c, e, title, toLower(e.name) AS name
  WITH c, e, title = name OR title STARTS WITH name + ' (' AS titled
  RETURN {chunk: collect(c.id), entity: collect(e.id), titled: collect(titled)} AS mentions
}
// An extractive index calls what is no name a concept.
WITH *, any(c IN told WHERE coalesce(c.extraction_with, '') STARTS WITH 'extractive') AS extractive
RETURN known AS seeds, related, mentions,
       [e IN around WHERE extractive AND e.type = 'concept' | e.id] AS common

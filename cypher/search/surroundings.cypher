// Expands the graph around entities and chunks in two steps. Each step keeps the nodes that a
// random walk reaches with the highest probability, and its starting nodes, whose share is set
// higher. Then come the chunks that mention these entities, and the relationships between them. A
// mention is titled if the title of the chunk's document is the entity: "Ada Lovelace (poet)".
// The result is in columns: thousands of rows as lists of maps take half as long again.
WITH COLLECT { MATCH (e:Entity) WHERE e.id IN $entities RETURN e } AS seeds,
     COLLECT { MATCH (c:Chunk) WHERE c.id IN $chunks RETURN c } AS passages
CALL (seeds, passages) {
  CALL (seeds, passages) {
    UNWIND seeds AS n
    RETURN n, 1000.0 AS share
    UNION ALL
    UNWIND seeds AS e
    WITH e, 1.0 / (1 + COUNT { (e)-[:RELATED]-() }) AS share
    MATCH (e)-[:RELATED]-(n:Entity)
    RETURN n, share
    UNION ALL
    UNWIND passages AS c
    WITH c, 1.0 / (1 + COUNT { (c)-[:MENTIONS]->() }) AS share
    MATCH (c)-[:MENTIONS]->(n:Entity)
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
    WITH e, 1.0 / (1 + COUNT { (e)-[:RELATED]-() }) AS share
    MATCH (e)-[:RELATED]-(n:Entity)
    RETURN n, share
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
    WITH e, 1.0 / (1 + COUNT { (e)<-[:MENTIONS]-() }) AS share
    MATCH (e)<-[:MENTIONS]-(c:Chunk)
    RETURN c, share
  }
  WITH c, sum(share) AS share ORDER BY share DESC, c.id LIMIT $most
  RETURN collect(c) AS told
}
// In columns: thousands of rows as lists of maps take half as long again.
CALL (seeds) {
  UNWIND seeds AS e
  RETURN {entity: collect(e.id), chunks: collect(COUNT { (e)<-[:MENTIONS]-() })} AS known
}
CALL (around) {
  UNWIND around AS a
  MATCH (a)-[r:RELATED]->(b:Entity) WHERE b IN around
  RETURN {id: collect(r.id), source: collect(a.id), target: collect(b.id),
          weight: collect(coalesce(r.weight, 1))} AS related
}
CALL (around, told) {
  UNWIND told AS c
  MATCH (c)-[:PART_OF]->(d:Document)
  WITH c, toLower(coalesce(d.title, '')) AS title
  MATCH (c)-[:MENTIONS]->(e:Entity) WHERE e IN around
  WITH c, e, title, toLower(e.name) AS name
  WITH c, e, title = name OR title STARTS WITH name + ' (' AS titled
  RETURN {chunk: collect(c.id), entity: collect(e.id), titled: collect(titled)} AS mentions
}
RETURN known AS seeds, related, mentions

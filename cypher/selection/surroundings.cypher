// Expands the graph around entities and chunks in two steps, through chunks of selected documents
// alone: the chunks that mention the entities, what these mention, the chunks that mention that, and
// what they mention. Each step keeps those with most connections, and its starting nodes, whose
// share is set higher. Relationships are the statements of these chunks. In the second step, no
// chunk is looked for from a hub. The columns are those of search/surroundings.
WITH COLLECT { MATCH (e:Entity:KgBuild) WHERE e.id IN $entities RETURN e } AS seeds,
     COLLECT { MATCH (c:Chunk:KgBuild) WHERE c.id IN $chunks RETURN c } AS passages
CALL (seeds, passages) {
  CALL (seeds, passages) {
    UNWIND passages AS c
    RETURN c, 1000.0 AS share
    UNION ALL
    UNWIND seeds AS e
    MATCH (e)<-[:MENTIONS]-(chunk:Chunk:KgBuild)-[:PART_OF]->(d:Document:KgBuild) WHERE d.id IN $documents
    WITH e, collect(chunk) AS own
    UNWIND own AS c
    RETURN c, 1.0 / (1 + size(own)) AS share
  }
  WITH c, sum(share) AS share ORDER BY share DESC, c.id LIMIT $near
  RETURN collect(c) AS first
}
CALL (seeds, first) {
  CALL (seeds, first) {
    UNWIND seeds AS e
    RETURN e, 1000.0 AS share
    UNION ALL
    UNWIND first AS c
    MATCH (c)-[:MENTIONS]->(e:Entity:KgBuild)
    RETURN e, 1.0 AS share
  }
  WITH e, sum(share) AS share ORDER BY share DESC, e.id LIMIT $near
  RETURN collect(e) AS near
}
CALL (near, first) {
  CALL (near, first) {
    UNWIND first AS c
    RETURN c, 1000.0 AS share
    UNION ALL
    UNWIND near AS e
    WITH e WHERE e.top_chunks IS NULL
    MATCH (e)<-[:MENTIONS]-(chunk:Chunk:KgBuild)-[:PART_OF]->(d:Document:KgBuild) WHERE d.id IN $documents
    WITH e, collect(chunk) AS own
    UNWIND own AS c
    RETURN c, 1.0 / (1 + size(own)) AS share
  }
  WITH c, sum(share) AS share ORDER BY share DESC, c.id LIMIT $most
  RETURN collect(c) AS told
}
CALL (near, told) {
  CALL (near, told) {
    UNWIND near AS e
    RETURN e, 1000.0 AS share
    UNION ALL
    UNWIND told AS c
    MATCH (c)-[:MENTIONS]->(e:Entity:KgBuild)
    RETURN e, 1.0 AS share
  }
  WITH e, sum(share) AS share ORDER BY share DESC, e.id LIMIT $far
  RETURN collect(e) AS around
}
CALL (seeds, told) {
  UNWIND told AS c
  MATCH (c)-[:MENTIONS]->(e:Entity:KgBuild) WHERE e IN seeds
  WITH e, count(c) AS n
  RETURN {entity: collect(e.id), chunks: collect(n)} AS known
}
CALL (around, told) {
  UNWIND told AS c
  WITH around, c.id AS chunk
  MATCH (a:Entity:KgBuild)-[stated:STATED {chunk: chunk}]->(b:Entity:KgBuild)
  WHERE a IN around AND b IN around AND a <> b  // of two names of one entity
  WITH stated.pair AS pair, collect([a.id, b.id])[0] AS ends,
       toFloat(sum(size(stated.strengths))) AS weight
  RETURN {id: collect(pair), source: collect(ends[0]), target: collect(ends[1]),
          weight: collect(weight)} AS related
}
CALL (around, told) {
  UNWIND told AS c
  MATCH (c)-[:PART_OF]->(d:Document:KgBuild)
  WITH around, c, toLower(coalesce(d.title, '')) AS title
  MATCH (c)-[mention:MENTIONS]->(e:Entity:KgBuild) WHERE e IN around
  WITH c, e, any(name IN mention.names WHERE title = toLower(name)
                   OR title STARTS WITH toLower(name) + ' (') AS titled
  RETURN {chunk: collect(c.id), entity: collect(e.id), titled: collect(titled)} AS mentions
}
CALL (around, told) {
  UNWIND told AS c
  WITH around, c WHERE c.extraction_with STARTS WITH 'extractive'
  MATCH (c)-[mention:MENTIONS]->(e:Entity:KgBuild) WHERE e IN around AND 'concept' IN mention.types
  RETURN collect(DISTINCT e.id) AS common
}
RETURN known AS seeds, related, mentions, common

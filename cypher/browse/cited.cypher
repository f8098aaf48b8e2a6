// The passages that the most reports cite, themselves or by a claim in them.
MATCH (community:Community)-[:HAS_FINDING]->(:Finding)-[:CITES]->()-[:FROM*0..1]->(chunk:Chunk)
WITH chunk, collect(DISTINCT community) AS reports
ORDER BY size(reports) DESC, chunk.ref LIMIT 25
MATCH (chunk)-[:PART_OF]->(document:Document)
RETURN size(reports) AS reports, [one IN reports | one.title] AS cited_by,
       document.name AS document, coalesce(chunk.parts[0], 'line ' + chunk.line) AS place,
       chunk.text AS passage
ORDER BY reports DESC, document, chunk.start

// Reads the records that citations name: what each is called, and what it says.
UNWIND $citations AS citation
CALL (citation) {
  WITH citation WHERE citation.kind = 'Entities'
  MATCH (x:Entity:KgBuild {ref: citation.ref})
  RETURN 'entity ' + x.name AS source, x.name + ': ' + coalesce(x.description, '') AS text
  UNION
  WITH citation WHERE citation.kind = 'Relationships'
  MATCH (a:KgBuild)-[x:RELATED {ref: citation.ref}]->(b:KgBuild)
  WITH x, CASE WHEN x.reversed THEN [b, a] ELSE [a, b] END AS ends
  WITH x, ends[0].name + ' – ' + ends[1].name AS name
  RETURN 'relationship ' + name AS source, name + ': ' + coalesce(x.description, '') AS text
  UNION
  WITH citation WHERE citation.kind = 'Claims'
  MATCH (x:Claim:KgBuild {ref: citation.ref})-[:FROM]->(:Chunk:KgBuild)-[:PART_OF]->(document:Document:KgBuild)
  RETURN document.source AS source,
         x.description + coalesce('\n' + x.source_text, '') AS text
  UNION
  WITH citation WHERE citation.kind = 'Reports'
  MATCH (x:Community:KgBuild {ref: citation.ref})
  RETURN 'report ' + coalesce(x.title, '') AS source, coalesce(x.report, '') AS text
  UNION
  WITH citation WHERE citation.kind = 'Sources'
  MATCH (x:Chunk:KgBuild {ref: citation.ref})-[:PART_OF]->(document:Document:KgBuild)
  RETURN document.source AS source, x.text AS text
}
RETURN citation.kind AS kind, citation.ref AS ref, source, text

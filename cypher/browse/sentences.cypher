// The sentences that the findings of one community rest on, with their places in the documents.
MATCH (:Community {ref: $community})-[:HAS_FINDING]->(finding:Finding)-[:CITES]->(cited)
CALL (cited) {
  WITH cited WHERE cited:Claim
  MATCH (cited)-[:FROM]->(chunk:Chunk)
  RETURN chunk, cited.source_text AS said, coalesce(cited.start, 0) AS start
  UNION
  WITH cited WHERE cited:Entity
  MATCH (cited)<-[mention:MENTIONS]-(chunk:Chunk)
  RETURN chunk, coalesce(mention.descriptions[0], chunk.text) AS said, 0 AS start
  ORDER BY chunk.ref LIMIT 3
  UNION
  WITH cited WHERE cited:Chunk
  RETURN cited AS chunk, cited.text AS said, 0 AS start
}
MATCH (chunk)-[:PART_OF]->(document:Document)
WITH finding, cited, said, document, chunk, chunk.start + start AS character,
     CASE WHEN cited:Claim THEN 'Claim' WHEN cited:Entity THEN 'Entity' ELSE 'Chunk' END AS cites
ORDER BY finding.index, cites, cited.ref, character LIMIT 200
RETURN finding.summary AS finding, cites,
       coalesce(cited.name, cited.description, 'chunk ' + cited.ref) AS what, said,
       document.name AS document,
       coalesce(
         chunk.parts[size([begin IN chunk.part_starts WHERE begin <= character]) - 1],
         'line ' + (chunk.line + size(split(left(chunk.text, character - chunk.start), '\n')) - 1)
       ) AS place

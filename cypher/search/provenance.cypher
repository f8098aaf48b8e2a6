// Finds the chunk that each quotation stands in, by the elements that it is cited from. The
// chunks are those of $documents, or of all where this is null.
UNWIND $quotations AS quotation
CALL (quotation) {
  UNWIND quotation.citations AS citation
  CALL (citation, quotation) {
    WITH citation WHERE citation.kind = 'Sources'
    MATCH (chunk:Chunk:KgBuild {ref: citation.ref})
    RETURN chunk, 0 AS order
    UNION
    WITH citation, quotation WHERE citation.kind = 'Claims'
    MATCH (:Claim:KgBuild {ref: citation.ref})-[:FROM]->(chunk:Chunk:KgBuild)
    RETURN chunk, 1 AS order
    UNION
    WITH citation, quotation WHERE citation.kind = 'Entities'
    MATCH (:Entity:KgBuild {ref: citation.ref})<-[mention:MENTIONS]-(chunk:Chunk:KgBuild)
    WHERE any(text IN mention.descriptions WHERE text CONTAINS quotation.text)
      AND ($documents IS NULL OR EXISTS {
        MATCH (chunk)-[:PART_OF]->(own:Document:KgBuild) WHERE own.id IN $documents
      })
    RETURN chunk, 2 AS order ORDER BY chunk.ref LIMIT 1
    UNION
    WITH citation, quotation WHERE citation.kind = 'Relationships'
    MATCH (:Entity:KgBuild)-[pair:RELATED {ref: citation.ref}]->(:Entity:KgBuild)
    MATCH ()-[stated:STATED {pair: pair.id}]->()
    WHERE any(text IN stated.descriptions WHERE text CONTAINS quotation.text)
    MATCH (chunk:Chunk {id: stated.chunk})
    WHERE $documents IS NULL OR EXISTS {
      MATCH (chunk)-[:PART_OF]->(own:Document:KgBuild) WHERE own.id IN $documents
    }
    RETURN chunk, 3 AS order ORDER BY chunk.ref LIMIT 1
  }
  RETURN chunk ORDER BY order, chunk.ref LIMIT $most
}
MATCH (chunk)-[:PART_OF]->(document:Document:KgBuild)
WHERE $documents IS NULL OR document.id IN $documents
RETURN quotation.number AS number,
       chunk {.start, .text, .line, .speaker, .parts, .part_starts, chunk: chunk.ref,
         document: document.source, name: document.name, title: document.title,
         date: [x IN [toString(head([] + document.meta_date))] WHERE x =~ '\\d{4}.*' | left(x, 10)][0],
         copies: COLLECT { MATCH (document)<-[:COPY_OF]-(copy:KgBuild) RETURN copy.name ORDER BY copy.name LIMIT 3 }}
       AS passage

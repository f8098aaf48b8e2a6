// Resolves citations to a title and to places in documents: in $documents, or in all where this is
// null. Places whose description contains a statement of `said` come first.
UNWIND $citations AS citation
CALL (citation) {
  WITH citation WHERE citation.kind = 'Entities'
  MATCH (x:Entity:KgBuild {ref: citation.ref})
  RETURN x.name AS title,
    COLLECT {
      MATCH (x)<-[mention:MENTIONS]-(chunk:Chunk:KgBuild)
      WHERE $documents IS NULL OR EXISTS {
        MATCH (chunk)-[:PART_OF]->(own:Document:KgBuild) WHERE own.id IN $documents
      }
      WITH chunk, any(text IN mention.descriptions
                      WHERE any(said IN citation.said WHERE text CONTAINS said)) AS quoted
      RETURN [chunk, null, null] ORDER BY quoted DESC, chunk.ref LIMIT $places
    } AS places
  UNION
  WITH citation WHERE citation.kind = 'Relationships'
  MATCH (a:KgBuild)-[x:RELATED {ref: citation.ref}]->(b:KgBuild)
  WITH x, CASE WHEN x.reversed THEN [b, a] ELSE [a, b] END AS ends
  RETURN ends[0].name + ' – ' + ends[1].name AS title,
    COLLECT {
      MATCH ()-[stated:STATED {pair: x.id}]->() MATCH (chunk:Chunk {id: stated.chunk})
      WHERE $documents IS NULL OR EXISTS {
        MATCH (chunk)-[:PART_OF]->(own:Document:KgBuild) WHERE own.id IN $documents
      }
      WITH chunk, any(text IN stated.descriptions
                      WHERE any(said IN citation.said WHERE text CONTAINS said)) AS quoted
      RETURN [chunk, null, null] ORDER BY quoted DESC, chunk.ref LIMIT $places
    } AS places
  UNION
  WITH citation WHERE citation.kind = 'Claims'
  MATCH (x:Claim:KgBuild {ref: citation.ref})-[:FROM]->(chunk:Chunk:KgBuild)
  OPTIONAL MATCH (x)-[:SUBJECT]->(subject:Entity:KgBuild)
  OPTIONAL MATCH (x)-[:OBJECT]->(object:Entity:KgBuild)
  RETURN coalesce(subject.name, x.subject_text, '')
         + coalesce(' – ' + coalesce(object.name, x.object_text), '')
         + coalesce(', ' + nullIf(x.type, ''), '') + coalesce(', ' + x.status, '')
         + CASE WHEN x.start_date = x.end_date THEN ', ' + x.start_date
                ELSE coalesce(', from ' + x.start_date, '') + coalesce(', until ' + x.end_date, '') END
         + ': ' + x.description AS title,
    [[chunk, x.start, x.end]] AS places
  UNION
  WITH citation WHERE citation.kind = 'Reports'
  MATCH (x:Community:KgBuild {ref: citation.ref})
  RETURN x.title AS title,
    COLLECT {
      MATCH (x)-[:HAS_FINDING]->(finding:Finding:KgBuild)-[:CITES]->(cited:KgBuild)
      MATCH (cited)-[:FROM|MENTIONS]-(chunk:Chunk:KgBuild)
      WHERE $documents IS NULL OR EXISTS {
        MATCH (chunk)-[:PART_OF]->(own:Document:KgBuild) WHERE own.id IN $documents
      }
      WITH chunk, min(finding.index) AS first
      RETURN [chunk, null, null] ORDER BY first, chunk.ref LIMIT $places
    } AS places
  UNION
  WITH citation WHERE citation.kind = 'Sources'
  MATCH (x:Chunk:KgBuild {ref: citation.ref}) RETURN null AS title, [[x, null, null]] AS places
}
UNWIND CASE places WHEN [] THEN [[null, null, null]] ELSE places END AS place
WITH citation, title, place[0] AS chunk, place[1] AS start, place[2] AS end
OPTIONAL MATCH (chunk)-[:PART_OF]->(document:Document:KgBuild)
RETURN citation.kind AS kind, citation.ref AS ref, coalesce(title, document.title) AS title,
       chunk {.start, .text, .line, .speaker, .parts, .part_starts, chunk: chunk.ref,
         document: document.source, name: document.name, title: document.title,
         copies: COLLECT { MATCH (document)<-[:COPY_OF]-(copy:KgBuild) RETURN copy.name ORDER BY copy.name LIMIT 3 },
         metadata: document.metadata} AS passage,
       CASE WHEN start IS NOT NULL THEN [start, end] END AS quote

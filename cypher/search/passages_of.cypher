// Reads the chunks of documents in their order, each also together with what the next one adds
// (`onward`), and what leads to them: the names of the entities that they mention, those with the most
// relationships first, and the communities with a report that hold one of these, or whose findings
// cite the chunk or a claim from it. `due` are the stages that have not done a chunk, and why. The
// chunks of a copy are those of its original.
UNWIND $sources AS source
MATCH (document:Document:KgBuild {source: source})
OPTIONAL MATCH (document)-[:COPY_OF]->(original:Document:KgBuild)
WITH DISTINCT coalesce(original, document) AS document
MATCH (document)<-[:PART_OF]-(chunk:Chunk:KgBuild)
OPTIONAL MATCH (chunk)-[:NEXT]->(next:Chunk:KgBuild)
RETURN chunk.id AS id, chunk.ref AS ref, chunk.text AS text, document.id AS document,
       document.name AS name,
       chunk.text + coalesce(CASE WHEN chunk.end < next.start THEN ' ' + next.text
                             ELSE substring(next.text, chunk.end - next.start) END, '') AS onward,
       [x IN [CASE chunk.extraction WHEN 'pending' THEN 'extraction'
                   WHEN 'failed' THEN 'extraction again (' + chunk.extraction_error + ')' END,
              CASE WHEN chunk.unembedded THEN 'embedding' END] WHERE x IS NOT NULL] AS due,
       COLLECT { MATCH (chunk)-[:MENTIONS]->(entity:Entity:KgBuild)
                 RETURN entity.name ORDER BY entity.degree DESC, entity.id } AS entities,
       COLLECT { CALL (chunk) {
                   MATCH (chunk)-[:MENTIONS]->(:Entity:KgBuild)-[:IN_COMMUNITY]->(:Community:KgBuild)
                     (()-[:PARENT]->(:KgBuild))* (report:Community:KgBuild)
                   RETURN report
                   UNION
                   MATCH (chunk) (()<-[:FROM]-(:Claim:KgBuild)){0,1} ()<-[:CITES]-(:Finding:KgBuild)
                     <-[:HAS_FINDING]-(report:Community:KgBuild)
                   RETURN report
                 }
                 WITH report WHERE report.report IS NOT NULL
                 RETURN report.id AS id ORDER BY id } AS reports
ORDER BY document, chunk.index

// Counts the chunks that mention an entity, and all documents. The parts of a long text
// count as one document.
MATCH (chunk:Chunk:KgBuild) WHERE EXISTS { (chunk)-[:MENTIONS]->(:KgBuild) }
WITH count(chunk) AS n
RETURN n, COUNT { MATCH (document:Document:KgBuild) RETURN DISTINCT split(document.source, '#part-')[0] }
          AS documents

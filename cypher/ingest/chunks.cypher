// Writes chunks: new ones are pending and marked to be embedded, existing ones keep their state.
UNWIND $rows AS row
MATCH (document:Document {id: row.document})
MERGE (chunk:Chunk:KgBuild {id: row.id})
  ON CREATE SET chunk.ref = row.ref, chunk.text = row.text, chunk.legible = row.legible,
                chunk.extraction = 'pending', chunk.claims = 'pending',
                chunk.unembedded = true
SET chunk.index = row.index, chunk.start = row.start, chunk.end = row.end,
    chunk.n_tokens = row.n_tokens, chunk.document = row.document
MERGE (chunk)-[:PART_OF]->(document)

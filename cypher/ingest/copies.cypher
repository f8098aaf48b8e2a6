// Makes documents copies of others, whose chunks and evidence they share.
UNWIND $rows AS row
MATCH (copy:Document {id: row.copy}), (original:Document {id: row.original})
MERGE (copy)-[:COPY_OF]->(original)

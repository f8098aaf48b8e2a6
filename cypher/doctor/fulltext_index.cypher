// A full-text index on what a build would index; the transaction is rolled back.
CREATE FULLTEXT INDEX kg_doctor_fulltext IF NOT EXISTS
FOR (chunk:Chunk) ON EACH [chunk.text]
OPTIONS {indexConfig: {`fulltext.analyzer`: $analyzer}}

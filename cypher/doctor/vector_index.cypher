// A vector index on what a build would index; the transaction is rolled back.
CREATE VECTOR INDEX kg_doctor_vector IF NOT EXISTS
FOR (chunk:Chunk) ON (chunk.embedding)
OPTIONS {indexConfig: {`vector.dimensions`: $dimensions, `vector.similarity_function`: 'cosine'}}

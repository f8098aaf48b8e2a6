// Creates a vector index as a build does, under a label without nodes; it is rolled back.
CREATE VECTOR INDEX kg_doctor_vector IF NOT EXISTS
FOR (build:Build) ON (build.id)
OPTIONS {indexConfig: {`vector.dimensions`: $dimensions, `vector.similarity_function`: 'cosine'}}

// Creates a full-text index as a build does, under a label without nodes; it is rolled back.
CREATE FULLTEXT INDEX kg_doctor_fulltext IF NOT EXISTS
FOR (build:Build) ON EACH [build.id]
OPTIONS {indexConfig: {`fulltext.analyzer`: $analyzer}}

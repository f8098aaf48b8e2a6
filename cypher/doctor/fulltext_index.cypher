// A full-text index as a build makes them, but where none is; the transaction is rolled back.
CREATE FULLTEXT INDEX kg_doctor_fulltext IF NOT EXISTS
FOR (build:Build) ON EACH [build.id]
OPTIONS {indexConfig: {`fulltext.analyzer`: $analyzer}}

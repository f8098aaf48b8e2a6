// Reads what an answer can be made from; no row where the database holds no graph.
MATCH (state:State:KgBuild {id: 'graph'})
RETURN COUNT { (:Chunk) } AS chunks, COUNT { (:Entity) } AS entities,
       COUNT { (:Community) } AS communities,
       EXISTS { MATCH (c:Community:KgBuild) WHERE c.report IS NOT NULL } AS reports,
       state.embedding_model AS embedding_model, state.dimensions AS dimensions,
       state.schema_version AS schema_version

// Reads what an answer can be made from.
// In the layout of version 0.1 the Counter holds what a node State holds now.
OPTIONAL MATCH (state:State {id: 'graph'})
OPTIONAL MATCH (counter:Counter {id: 'refs'})
RETURN COUNT { (:Chunk) } AS chunks, COUNT { (:Entity) } AS entities,
       COUNT { (:Community) } AS communities,
       EXISTS { MATCH (c:Community) WHERE c.report IS NOT NULL } AS reports,
       coalesce(state.embedding_model, counter.embedding_model) AS embedding_model,
       coalesce(state.schema_version, 1) AS schema_version

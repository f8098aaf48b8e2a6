// What an answer can be made from.
OPTIONAL MATCH (counter:Counter {id: 'refs'})
RETURN COUNT { (:Chunk) } AS chunks, COUNT { (:Entity) } AS entities,
       COUNT { (:Community) } AS communities,
       EXISTS { MATCH (c:Community) WHERE c.report IS NOT NULL } AS reports,
       counter.embedding_model AS embedding_model

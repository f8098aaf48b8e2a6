// What the vectors of the graph were made with; nothing as long as there are none.
OPTIONAL MATCH (counter:Counter {id: 'refs'})
RETURN counter.embedding_model AS model, counter.dimensions AS dimensions

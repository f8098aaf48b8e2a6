// Reads whether the graph holds anything, which import has begun in it, and the last refs.
OPTIONAL MATCH (state:State {id: 'graph'})
OPTIONAL MATCH (counter:Counter {id: 'refs'})
RETURN EXISTS { (:Document|Entity|Community) } AS held,
       state.importing AS importing, properties(counter) AS given

// Whether the graph holds anything, the import that was begun in it, the last refs given.
OPTIONAL MATCH (state:State {id: 'graph'})
OPTIONAL MATCH (counter:Counter {id: 'refs'})
RETURN EXISTS { (:Document|Entity|Community) } AS held,
       state.importing AS importing, properties(counter) AS given

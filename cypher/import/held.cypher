// Whether the graph holds anything, the import that was begun in it, the last refs given.
OPTIONAL MATCH (counter:Counter {id: 'refs'})
RETURN EXISTS { (:Document|Entity|Community) } AS held,
       counter.importing AS importing, properties(counter) AS given

// Reads whether the graph holds anything, which import has begun in it, and the last refs.
OPTIONAL MATCH (state:State:KgBuild {id: 'graph'})
OPTIONAL MATCH (counter:Counter:KgBuild {id: 'refs'})
RETURN EXISTS { (:(Document|Entity|Community)&KgBuild) } AS held,
       state.importing AS importing,
       counter {.chunk, .entity, .relationship, .claim, .community} AS given

// Marks all entities for the stage merge, which gives them their keys, and so for the stage resolve.
MATCH (entity:Entity:KgBuild)
SET entity.stale = true
WITH count(*) AS n
MATCH (state:State:KgBuild {id: 'graph'})
REMOVE state.names_uncompared

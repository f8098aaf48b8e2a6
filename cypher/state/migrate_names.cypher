// Marks the entities without the keys of their names, which the stage resolve gives them. Their names
// are not compared: that could change communities, whose reports are paid for. So the state says it.
MATCH (entity:Entity) WHERE entity.key IS NULL
SET entity.keyless = true
WITH count(entity) AS n WHERE n > 0
MERGE (state:State {id: 'graph'})
SET state.names_uncompared = true

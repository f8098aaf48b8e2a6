// Saves that the communities are those of the import until the graph changes. Removes the marks of
// communities whose reports were imported, and of entities: other names would change communities.
MERGE (state:State {id: 'graph'})
SET state.communities_with = 'import'
REMOVE state.communities_due
WITH state
MATCH (community:Community) WHERE community.origin = 'import'
REMOVE community.stale
WITH DISTINCT state
MATCH (entity:Entity) WHERE entity.unresolved = true OR entity.uncompared = true
REMOVE entity.unresolved, entity.uncompared

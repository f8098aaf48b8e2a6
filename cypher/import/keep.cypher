// Saves that the communities are those of the import until the graph changes. Removes the marks of
// communities whose reports were imported, and of entities: other names would change communities.
// That the names were not compared is said by the state.
MERGE (state:State:KgBuild {id: 'graph'})
SET state.communities_with = 'import', state.names_uncompared = true
REMOVE state.communities_due, state.communities_degree
WITH state
MATCH (community:Community:KgBuild) WHERE community.origin = 'import'
REMOVE community.stale
WITH DISTINCT state
MATCH (entity:Entity:KgBuild) WHERE entity.unresolved = true OR entity.uncompared = true
REMOVE entity.unresolved, entity.uncompared

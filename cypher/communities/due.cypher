// Reads what the communities were made with, and whether the graph has changed since.
OPTIONAL MATCH (state:State:KgBuild {id: 'graph'})
RETURN state.communities_with AS made_with, state.communities_due IS NOT NULL AS due,
       state.communities_updated IS NOT NULL AS updated,
       coalesce(state.communities_unchecked, 0.0) AS unchecked,
       CASE WHEN EXISTS { (:Community:KgBuild) } THEN state.communities_degree END AS degree

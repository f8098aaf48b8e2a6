// Reads whether the last index extracted claims; a graph that does not say so has claims.
OPTIONAL MATCH (state:State:KgBuild {id: 'graph'})
RETURN coalesce(state.claims, true) AS claims

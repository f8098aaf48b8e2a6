// Reads whether the last index extracted claims; a graph that does not say so has claims.
OPTIONAL MATCH (state:State {id: 'graph'})
RETURN coalesce(state.claims, true) AS claims

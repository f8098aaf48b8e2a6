// Counts the nodes and relationships of each kind; all are 0 where the database holds no graph.
OPTIONAL MATCH (state:State:KgBuild {id: 'graph'})
WITH CASE WHEN state IS NULL THEN 0 ELSE 1 END AS ours
RETURN ours * COUNT { (:Document) } AS documents, ours * COUNT { (:Chunk) } AS chunks,
  ours * COUNT { (:Entity) } AS entities, ours * COUNT { ()-[:RELATED]->() } AS relationships,
  ours * COUNT { (:Claim) } AS claims, ours * COUNT { ()-[:MENTIONS]->() } AS mentions,
  ours * COUNT { ()-[:STATED]->() } AS statements, ours * COUNT { (:Community) } AS communities

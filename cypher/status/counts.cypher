// Counts the nodes and relationships of each kind.
RETURN COUNT { (:Document) } AS documents, COUNT { (:Chunk) } AS chunks,
  COUNT { (:Entity) } AS entities, COUNT { ()-[:RELATED]->() } AS relationships,
  COUNT { (:Claim) } AS claims, COUNT { ()-[:MENTIONS]->() } AS mentions,
  COUNT { ()-[:STATED]->() } AS statements, COUNT { (:Community) } AS communities

// Tells whether there is a graph to ask: one with documents, or one that was imported without them.
RETURN EXISTS { MATCH (:Document:KgBuild) } OR EXISTS { MATCH (:Entity:KgBuild) } AS there

// Counts the nodes of a database, those of its $most frequent labels, and its relationships; does it
// hold a graph of ours?
CALL db.labels() YIELD label
CALL (label) { MATCH (n:$(label)) RETURN count(n) AS n }
WITH label, n WHERE n > 0
WITH label, n ORDER BY n DESC, label
WITH collect([label, n]) AS labels
RETURN labels[..$most] AS labels, COUNT { MATCH (n) } AS nodes,
       COUNT { MATCH ()-[r]->() } AS relationships, EXISTS { (:State:KgBuild {id: 'graph'}) } AS ours

// What the tree of communities was made with, and whether the graph has changed since.
OPTIONAL MATCH (counter:Counter {id: 'refs'})
RETURN counter.communities_with AS made_with, counter.communities_due IS NOT NULL AS due

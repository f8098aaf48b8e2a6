// Reads the communities of level 0 that have lost members, each with the weighted degree that these had.
MATCH (leaf:Community:KgBuild) WHERE leaf.lost >= 0.0
MATCH (leaf) (()-[:PARENT]->(:KgBuild))* (top:Community:KgBuild) WHERE top.level = 0
RETURN top.id AS top, sum(leaf.lost) AS lost

// Reads the sub-communities of communities, with their reports if they have one, and a sample of
// the pieces of what these were written from.
UNWIND $ids AS id
MATCH (part:Community:KgBuild)-[:PARENT]->(:Community {id: id})
RETURN id AS community, part.id AS id, part.ref AS ref, part.title AS title,
       part.summary AS summary, part.report AS report, part.rating AS rating,
       part.material_hashes[..$sample] AS sample

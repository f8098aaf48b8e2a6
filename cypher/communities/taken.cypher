// Reads which of these ids existing communities have.
UNWIND $ids AS id
MATCH (community:Community {id: id})
RETURN community.id AS id

// Removes communities that are no more, with their findings.
UNWIND $ids AS id
MATCH (community:Community {id: id})
OPTIONAL MATCH (community)-[:HAS_FINDING]->(finding)
DETACH DELETE community, finding

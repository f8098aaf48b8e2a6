// Reads the claims about members of communities; similar claims of one subject are neighbours.
UNWIND $ids AS id
MATCH (:Community {id: id}) (()<-[:PARENT]-(:KgBuild))* ()<-[:IN_COMMUNITY]-(entity:Entity:KgBuild)
MATCH (entity)<-[:SUBJECT|OBJECT]-(claim:Claim:KgBuild)
WITH id, claim, collect(entity.id) AS about
MATCH (claim)-[:FROM]->(chunk:Chunk:KgBuild)
OPTIONAL MATCH (claim)-[:SUBJECT]->(subject:Entity:KgBuild)
OPTIONAL MATCH (claim)-[:OBJECT]->(object:Entity:KgBuild)
RETURN id AS community, about, claim.id AS id, claim.ref AS ref,
       coalesce(subject.name, claim.subject_text) AS subject,
       coalesce(object.name, claim.object_text) AS object,
       claim.type AS type, claim.status AS status, claim.start_date AS start,
       claim.end_date AS end, claim.description AS description,
       chunk.id AS chunk, chunk.ref AS chunk_ref
ORDER BY subject, object, type, id

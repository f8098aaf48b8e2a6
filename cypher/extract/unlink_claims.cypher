// Removes the links of chunks' claims to entities, and returns the spellings of the entities.
UNWIND $chunks AS id
MATCH (:Chunk {id: id})<-[:FROM]-(claim:Claim:KgBuild)
OPTIONAL MATCH (claim)-[subject:SUBJECT]->(:Entity:KgBuild)
OPTIONAL MATCH (claim)-[object:OBJECT]->(:Entity:KgBuild)
SET claim.subject_text = coalesce(subject.name, claim.subject_text),
    claim.object_text = coalesce(object.name, claim.object_text)
DELETE subject, object
RETURN id AS chunk, claim.id AS claim,
       claim.subject_text AS subject, claim.object_text AS object

// Reads the members of communities, each with its sub-community.
UNWIND $ids AS id
MATCH path = (:Community {id: id}) (()<-[:PARENT]-(:KgBuild))* ()
WITH id, nodes(path)[1].id AS part, nodes(path)[-1] AS leaf
MATCH (leaf)<-[:IN_COMMUNITY]-(entity:Entity:KgBuild)
RETURN id AS community, part, entity.id AS id, entity.ref AS ref, entity.name AS name,
       entity.type AS type, entity.description AS description, entity.degree AS degree,
       entity.description_sample AS sample,
       COUNT { (entity)<-[:MENTIONS]-(:KgBuild) } AS mentions

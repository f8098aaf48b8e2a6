// Counts the entities and pairs that are marked for the stage merge.
RETURN COUNT { MATCH (entity:Entity:KgBuild) WHERE entity.stale = true }
     + COUNT { MATCH (:KgBuild)-[pair:RELATED]->(:KgBuild) WHERE pair.stale = true } AS n

// Reads entities, the claims about them, and for each entity the community nearest above it that
// has a report by a model. Of a hub only the claims that the stage merge has listed are read, and
// those that are also about another one of the entities.
RETURN
  COLLECT {
    MATCH (e:Entity:KgBuild) WHERE e.id IN $ids
    RETURN {id: e.id, ref: e.ref, name: e.name, type: e.type, description: e.description}
  } AS entities,
  COLLECT {
    CALL () {
      MATCH (e:Entity:KgBuild)<-[:SUBJECT|OBJECT]-(claim:Claim:KgBuild)
      WHERE e.id IN $ids AND e.top_claims IS NULL
      RETURN claim
      UNION
      MATCH (e:Entity:KgBuild) WHERE e.id IN $ids
      UNWIND e.top_claims AS id
      MATCH (claim:Claim {id: id})
      RETURN claim
    }
    WITH claim, COUNT { MATCH (claim)-[:SUBJECT|OBJECT]->(e:KgBuild) WHERE e.id IN $ids } AS about
    ORDER BY about DESC, claim.id LIMIT $claims
    OPTIONAL MATCH (claim)-[:SUBJECT]->(subject:Entity:KgBuild)
    OPTIONAL MATCH (claim)-[:OBJECT]->(object:Entity:KgBuild)
    RETURN {id: claim.id, ref: claim.ref, subject: coalesce(subject.name, claim.subject_text),
            object: coalesce(object.name, claim.object_text), type: claim.type,
            status: claim.status, start: claim.start_date, end: claim.end_date,
            description: claim.description}
  } AS claims,
  COLLECT {
    MATCH (e:Entity:KgBuild) WHERE e.id IN $ids
    MATCH path = (e)-[:IN_COMMUNITY]->(:KgBuild) (()-[:PARENT]->(:KgBuild))* (c:Community:KgBuild)
    WHERE c.report IS NOT NULL AND c.origin <> 'elements'
    WITH e, c ORDER BY length(path)
    WITH e, collect(c)[0] AS community
    WITH community, count(*) AS members
    ORDER BY members DESC, coalesce(community.rating, 0) DESC, community.id LIMIT $communities
    RETURN {id: community.id, ref: community.ref, title: community.title,
            summary: community.summary, report: community.report,
            n_tokens: community.n_tokens}
  } AS communities

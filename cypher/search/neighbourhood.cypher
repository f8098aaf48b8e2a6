// What surrounds entities: relationships between them and outward ones, the claims about them,
// the nearest community above each that a model has reported on, and the chunks that support them.
RETURN
  COLLECT {
    MATCH (e:Entity) WHERE e.id IN $ids
    RETURN {id: e.id, ref: e.ref, name: e.name, type: e.type, description: e.description}
  } AS entities,
  COLLECT {
    MATCH (a:Entity)-[r:RELATED]->(b:Entity) WHERE a.id IN $ids AND b.id IN $ids
    WITH a, r, b ORDER BY a.degree + b.degree DESC, r.id LIMIT $inner
    RETURN {id: r.id, ref: r.ref, source: a.name, target: b.name, description: r.description}
  } AS inner,
  COLLECT {
    MATCH (e:Entity)-[r:RELATED]-(n:Entity) WHERE e.id IN $ids AND NOT n.id IN $ids
    WITH n, collect(r) AS found
    ORDER BY size(found) DESC, n.degree DESC, n.id LIMIT $outward
    UNWIND found AS r
    WITH r, startNode(r) AS a, endNode(r) AS b
    RETURN {id: r.id, ref: r.ref, source: a.name, target: b.name, description: r.description}
    LIMIT $outward
  } AS outward,
  COLLECT {
    MATCH (e:Entity)<-[:SUBJECT|OBJECT]-(claim:Claim) WHERE e.id IN $ids
    WITH claim, count(*) AS about ORDER BY about DESC, claim.id LIMIT $claims
    OPTIONAL MATCH (claim)-[:SUBJECT]->(subject:Entity)
    OPTIONAL MATCH (claim)-[:OBJECT]->(object:Entity)
    RETURN {id: claim.id, ref: claim.ref, subject: coalesce(subject.name, claim.subject_text),
            object: coalesce(object.name, claim.object_text), type: claim.type,
            status: claim.status, start: claim.start_date, end: claim.end_date,
            description: claim.description}
  } AS claims,
  COLLECT {
    MATCH (e:Entity) WHERE e.id IN $ids
    MATCH path = (e)-[:IN_COMMUNITY]->()-[:PARENT*0..]->(c:Community)
    WHERE c.report IS NOT NULL AND c.origin <> 'elements'
    WITH e, c ORDER BY length(path)
    WITH e, collect(c)[0] AS community
    WITH community, count(*) AS members
    ORDER BY members DESC, coalesce(community.rating, 0) DESC, community.id LIMIT $communities
    RETURN {id: community.id, ref: community.ref, title: community.title,
            summary: community.summary, report: community.report,
            n_tokens: community.n_tokens}
  } AS communities,
  COLLECT {
    CALL () {
      MATCH (e:Entity)<-[:MENTIONS]-(chunk:Chunk) WHERE e.id IN $ids
      RETURN chunk, 1 AS support
      UNION ALL
      MATCH (a:Entity)-[stated:STATED]->(b:Entity) WHERE a.id IN $ids AND b.id IN $ids
      MATCH (chunk:Chunk {id: stated.chunk})
      RETURN chunk, 1 AS support
    }
    WITH chunk, sum(support) AS support ORDER BY support DESC, chunk.id LIMIT $chunks
    RETURN {id: chunk.id, ref: chunk.ref, text: chunk.text}
  } AS chunks

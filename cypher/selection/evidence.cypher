// Reads what chunks say of entities and pairs, the words of the first chunks first: no name, no type
// and no description that other chunks have fed. An import gives each chunk the description of a
// whole, so that of imported chunks is left out. Claims are those about the entities, and reports
// those of the nearest of $inside above them.
WITH COLLECT {
  UNWIND range(0, size($chunks) - 1) AS place
  MATCH (c:Chunk:KgBuild {id: $chunks[place]})
  MATCH (c)-[:PART_OF]->(d:Document:KgBuild)
  WITH c, place, [x IN [toString(head([] + d.meta_date))] WHERE x =~ '\\d{4}.*' | left(x, 10)][0] AS date
  RETURN {c: c, id: c.id, place: place, date: coalesce(date, ''),
          own: coalesce(c.extraction_with <> $imported, true)}
} AS told
CALL (told) {
  UNWIND told AS one
  WITH one, one.id AS chunk
  MATCH (a:Entity:KgBuild)-[stated:STATED {chunk: chunk}]->(b:Entity:KgBuild)
  WHERE stated.pair IN $pairs
  WITH one, a, stated, b ORDER BY one.place, stated.id
  WITH stated.pair AS pair, collect({
    source: a.id, target: b.id, n: size(stated.strengths), predicates: stated.predicates,
    date: one.date,
    descriptions: CASE WHEN one.own THEN stated.descriptions ELSE [] END
  }) AS said
  MATCH ()-[related:RELATED {id: pair}]->()
  RETURN collect({id: pair, ref: related.ref, said: said}) AS relationships
}
WITH told, relationships, reduce(ids = $entities, r IN relationships |
  ids + [x IN r.said | x.source] + [x IN r.said | x.target]) AS shown
CALL (told, shown) {
  UNWIND told AS one
  WITH shown, one, one.c AS c
  MATCH (c)-[mention:MENTIONS]->(e:Entity:KgBuild) WHERE e.id IN shown
  WITH e, one, mention, CASE WHEN mention.names <> [] THEN mention.names ELSE
    COLLECT { MATCH (c)<-[:FROM]-(:Claim:KgBuild)-[about:SUBJECT|OBJECT]->(e) RETURN about.name } END AS names
  ORDER BY one.place
  WITH e, collect({
    names: names, types: mention.types, date: one.date,
    descriptions: CASE WHEN one.own THEN mention.descriptions ELSE [] END
  }) AS said
  RETURN collect({id: e.id, ref: e.ref, said: said}) AS entities
}
CALL (told) {
  UNWIND told AS one
  WITH one.c AS c
  MATCH (c)<-[:FROM]-(claim:Claim:KgBuild)
  WITH claim, COUNT { MATCH (claim)-[:SUBJECT|OBJECT]->(e:KgBuild) WHERE e.id IN $entities } AS about
  WHERE about > 0
  ORDER BY about DESC, claim.id LIMIT $claims
  OPTIONAL MATCH (claim)-[subject:SUBJECT]->(:Entity:KgBuild)
  OPTIONAL MATCH (claim)-[object:OBJECT]->(:Entity:KgBuild)
  RETURN collect({id: claim.id, ref: claim.ref,
                  subject: coalesce(subject.name, claim.subject_text),
                  object: coalesce(object.name, claim.object_text), type: claim.type,
                  status: claim.status, start: claim.start_date, end: claim.end_date,
                  description: claim.description}) AS claims
}
RETURN entities, relationships, claims,
  COLLECT {
    MATCH (e:Entity:KgBuild) WHERE e.id IN $entities
    MATCH path = (e)-[:IN_COMMUNITY]->(:KgBuild) (()-[:PARENT]->(:KgBuild))* (c:Community:KgBuild)
    WHERE c.id IN $inside AND c.origin <> 'elements'
    WITH e, c ORDER BY length(path)
    WITH e, collect(c)[0] AS community
    WITH community, count(*) AS members
    ORDER BY members DESC, coalesce(community.rating, 0) DESC, community.id LIMIT $communities
    RETURN {id: community.id, ref: community.ref, title: community.title,
            summary: community.summary, report: community.report,
            n_tokens: community.n_tokens}
  } AS communities

// Saves with each hub what a question reads in place of all that is linked to it: the ids of its
// pairs with the most statements, of the chunks with the most to say about it, and of some claims.
// An entity that has not more than $hub of a kind is no hub in it, and has no list.
UNWIND $ids AS id
MATCH (entity:Entity {id: id})
SET entity.top_pairs = CASE WHEN COUNT { (entity)-[:RELATED]-(:KgBuild) } > $hub THEN COLLECT {
      MATCH (entity)-[pair:RELATED]-(:KgBuild)
      RETURN pair.id ORDER BY pair.weight DESC, pair.id LIMIT $kept
    } END,
    entity.top_chunks = CASE WHEN COUNT { (entity)<-[:MENTIONS]-(:KgBuild) } > $hub THEN COLLECT {
      MATCH (entity)<-[mention:MENTIONS]-(chunk:Chunk:KgBuild)
      RETURN chunk.id ORDER BY size(mention.descriptions) DESC, chunk.id LIMIT $kept
    } END,
    entity.top_claims = CASE WHEN COUNT { (entity)<-[:SUBJECT|OBJECT]-(:KgBuild) } > $hub THEN COLLECT {
      MATCH (entity)<-[:SUBJECT|OBJECT]-(claim:Claim:KgBuild)
      RETURN DISTINCT claim.id ORDER BY claim.id LIMIT $kept
    } END

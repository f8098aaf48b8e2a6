// Removes those of these entities that no chunk mentions any more. The spellings that they held, the
// other spellings with their key, and their first and last word alone are compared again. Their
// communities are marked.
UNWIND $entities AS id
MATCH (entity:Entity {id: id})
WHERE NOT EXISTS { (entity)<-[:MENTIONS]-(:Chunk:KgBuild) }
CALL (entity) { MATCH (other:Entity:KgBuild {key: entity.key}) SET other.unresolved = true }
CALL (entity) { MATCH (other:Spelling:KgBuild {key: entity.key}) SET other.unresolved = true }
CALL (entity) { MATCH (other:Spelling:KgBuild {entity: entity.id}) SET other.unresolved = true }
CALL (entity) {
  UNWIND [entity.first_word, entity.last_word] AS word
  MATCH (other:Entity:KgBuild {first_word: word}) WHERE other.last_word = word
  SET other.unresolved = true
}
CALL (entity) {
  UNWIND [entity.first_word, entity.last_word] AS word
  MATCH (other:Spelling:KgBuild {first_word: word}) WHERE other.last_word = word
  SET other.unresolved = true
}
CALL (entity) {
  MATCH (other:Entity:KgBuild {last_word: entity.last_word}) WITH other LIMIT 80
  SET other.uncompared = true
}
CALL (entity) {
  MATCH (entity)-[:IN_COMMUNITY]->(leaf:Community:KgBuild)
  SET leaf.lost = coalesce(leaf.lost, 0.0) + coalesce(entity.placed_weight, 0.0)
}
DETACH DELETE entity

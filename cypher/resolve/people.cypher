// Reads the spellings that begin or end with words, and whose type is none of $others: entities, and
// spellings that were decided about. Of a word with more than $most of them, only some are read.
UNWIND $words AS word
CALL (word) {
  MATCH (x:Entity:KgBuild {first_word: word}) WHERE coalesce(NOT toLower(x.type) IN $others, true)
  RETURN x, false AS decided LIMIT $most + 1
  UNION
  MATCH (x:Entity:KgBuild {last_word: word}) WHERE coalesce(NOT toLower(x.type) IN $others, true)
  RETURN x, false AS decided LIMIT $most + 1
  UNION
  MATCH (x:Spelling:KgBuild {first_word: word}) WHERE coalesce(NOT toLower(x.type) IN $others, true)
  RETURN x, true AS decided LIMIT $most + 1
  UNION
  MATCH (x:Spelling:KgBuild {last_word: word}) WHERE coalesce(NOT toLower(x.type) IN $others, true)
  RETURN x, true AS decided LIMIT $most + 1
}
RETURN word AS key, x.id AS id, x.name AS name, x.type AS type, coalesce(x.n, 1) AS n,
       coalesce(x.documents, 1) AS documents, CASE WHEN decided THEN x.entity END AS entity, decided
ORDER BY key, id, decided

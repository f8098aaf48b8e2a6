// Reads the spellings that begin or end with words, or have them as initials: entities, and spellings
// that were decided about.
// Of a word that begins or ends more than $most of them, only the first are read.
UNWIND $words AS word
CALL (word) {
  MATCH (x:Entity:KgBuild {first_word: word}) RETURN x, false AS decided LIMIT $most
  UNION
  MATCH (x:Entity:KgBuild {last_word: word}) RETURN x, false AS decided LIMIT $most
  UNION
  MATCH (x:Entity:KgBuild {initials: word}) RETURN x, false AS decided LIMIT $most
  UNION
  MATCH (x:Spelling:KgBuild {first_word: word}) RETURN x, true AS decided LIMIT $most
  UNION
  MATCH (x:Spelling:KgBuild {last_word: word}) RETURN x, true AS decided LIMIT $most
  UNION
  MATCH (x:Spelling:KgBuild {initials: word}) RETURN x, true AS decided LIMIT $most
}
RETURN word AS key, x.id AS id, x.name AS name, x.type AS type, coalesce(x.n, 1) AS n,
       coalesce(x.documents, 1) AS documents, CASE WHEN decided THEN x.entity END AS entity, decided
ORDER BY key, id, decided

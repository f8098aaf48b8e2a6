// Reads the spellings that begin or end with words, or have them as initials: entities, and spellings
// that were decided about.
// Of a word with more than $most of each, only the first are read.
UNWIND $words AS word
CALL (word) {
  CALL (word) {
    MATCH (x:Entity:KgBuild {first_word: word}) RETURN x, false AS decided
    UNION
    MATCH (x:Entity:KgBuild {last_word: word}) RETURN x, false AS decided
    UNION
    MATCH (x:Entity:KgBuild {initials: word}) RETURN x, false AS decided
  }
  RETURN x, decided LIMIT $most
  UNION ALL
  CALL (word) {
    MATCH (x:Spelling:KgBuild {first_word: word}) RETURN x, true AS decided
    UNION
    MATCH (x:Spelling:KgBuild {last_word: word}) RETURN x, true AS decided
    UNION
    MATCH (x:Spelling:KgBuild {initials: word}) RETURN x, true AS decided
  }
  RETURN x, decided LIMIT $most
}
RETURN word AS key, x.id AS id, x.name AS name, x.type AS type, coalesce(x.n, 1) AS n,
       CASE WHEN decided THEN x.entity END AS entity, decided
ORDER BY key, id, decided

// Reads the decisions about spellings, and those that were made in blocks.
CALL () {
  UNWIND $ids AS id
  MATCH (:Spelling {id: id})-[compared:COMPARED]-(:KgBuild)
  RETURN compared
  UNION
  UNWIND $blocks AS block
  MATCH (:Spelling:KgBuild)-[compared:COMPARED {block: block}]->(:KgBuild)
  RETURN compared
}
WITH compared, startNode(compared) AS a, endNode(compared) AS b
RETURN a.id AS one, b.id AS other, compared.verdict AS verdict,
       compared.origin AS origin, compared.reason AS reason, compared.block AS block,
       compared.saw AS saw

// Reads the decisions about spellings.
UNWIND $ids AS id
MATCH (:Spelling {id: id})-[compared:COMPARED]-()
WITH DISTINCT compared, startNode(compared) AS a, endNode(compared) AS b
RETURN compared.id AS id, a.id AS one, b.id AS other, compared.verdict AS verdict,
       compared.origin AS origin, compared.reason AS reason, compared.block AS block,
       compared.saw AS saw

// Counts the documents, or gives 0 where the source of one of them begins with one of $places.
MATCH (document:Document:KgBuild)
WITH count(document) AS n
RETURN CASE WHEN EXISTS {
         UNWIND $places AS place
         MATCH (near:Document:KgBuild) WHERE near.source STARTS WITH place
       } THEN 0 ELSE n END AS n

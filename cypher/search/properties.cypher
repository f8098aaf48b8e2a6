// Reads the properties of entities by their types in lower case, those of relationships, and those of
// documents by their tables: of which kind most of their values are, whether all numbers can be years,
// and which texts occur in $question, in lower case. The type of what has no table is "".
// Only an import writes "properties", and its documents have a label.
WITH EXISTS { MATCH (document:Document:KgBuild) WHERE document.meta_label IS NOT NULL } AS imported
CALL (imported) {
  WITH imported AS present WHERE present
  MATCH (entity:Entity:KgBuild) WHERE entity.properties IS NOT NULL
  RETURN 'entity' AS holder, toLower(entity.type) AS type, entity.properties AS names, properties(entity) AS held
  UNION ALL
  WITH imported AS present WHERE present
  MATCH (:Entity:KgBuild)-[pair:RELATED]->(:Entity:KgBuild) WHERE pair.properties IS NOT NULL
  RETURN 'relationship' AS holder, '' AS type, pair.properties AS names, properties(pair) AS held
  UNION ALL
  // The node records of an import are not rows: their entities have these properties.
  MATCH (document:Document:KgBuild)
  WHERE NOT coalesce(document.source CONTAINS '#' + toStringOrNull(document.meta_label) + '/', false)
  RETURN 'document' AS holder,
         CASE WHEN document.source CONTAINS '#' THEN split(document.source, '#')[0] ELSE '' END AS type,
         [name IN keys(document) WHERE name STARTS WITH 'meta_'] AS names, properties(document) AS held
}
UNWIND names AS name
UNWIND held[name] AS value
WITH holder, type, name, value, CASE
       WHEN value IS :: INTEGER OR value IS :: FLOAT THEN 'number'
       WHEN value IS :: DATE OR value IS :: LOCAL DATETIME OR value IS :: ZONED DATETIME THEN 'date'
       WHEN holder = 'document' AND toStringOrNull(value) =~ '\\d{4}-\\d\\d(-\\d\\d([T ].*)?)?' THEN 'date'
       ELSE 'text' END AS kind
WITH holder, type, name, kind, count(*) AS n, min(CASE kind WHEN 'number' THEN value END) AS least,
     max(CASE kind WHEN 'number' THEN value END) AS most,
     collect(DISTINCT CASE WHEN value IS :: STRING AND size(value) <= 60 AND $question CONTAINS trim(toLower(value))
                           THEN value END) AS texts,
     collect(DISTINCT CASE WHEN value IS :: STRING AND size(value) <= 60 THEN value END)[..$examples] AS examples
ORDER BY n DESC, kind
WITH holder, type, name, collect({kind: kind, least: least, most: most, examples: examples})[0] AS main,
     collect(texts) AS texts
RETURN holder, type, name AS key, main.kind AS kind, coalesce(main.least >= 1000 AND main.most < 3000, false) AS years,
       reduce(all = [], some IN texts | all + some) AS texts, main.examples AS examples
ORDER BY holder, type, key

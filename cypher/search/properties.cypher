// Reads the properties of entities by their types in lower case, and those of relationships, whose
// type is "": of which kinds their values are, and whether all numbers among them can be years.
CALL () {
  MATCH (entity:Entity:KgBuild) WHERE entity.properties IS NOT NULL
  RETURN toLower(entity.type) AS type, entity.properties AS names, properties(entity) AS held
  UNION ALL
  MATCH (:Entity:KgBuild)-[pair:RELATED]->(:Entity:KgBuild) WHERE pair.properties IS NOT NULL
  RETURN '' AS type, pair.properties AS names, properties(pair) AS held
}
UNWIND names AS name
UNWIND held[name] AS value
WITH type, name, value, CASE
       WHEN value IS :: INTEGER OR value IS :: FLOAT THEN 'number'
       WHEN value IS :: DATE OR value IS :: LOCAL DATETIME OR value IS :: ZONED DATETIME THEN 'date'
       ELSE 'text' END AS kind
WITH type, name, collect(DISTINCT kind) AS kinds,
     min(CASE kind WHEN 'number' THEN value END) AS least, max(CASE kind WHEN 'number' THEN value END) AS most
RETURN type, name AS key, kinds, coalesce(least >= 1000 AND most < 3000, false) AS years ORDER BY type, key

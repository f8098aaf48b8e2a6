// Finds the documents that meet all conditions, each with the number of its chunks. A later part of
// a long text has the source, the title and the metadata of the first part. Of a list, one member
// must meet the condition. Only values of the kind of the condition are ordered; of dates, as much
// as the condition states. A document without the field only meets `!=`.
MATCH (document:Document:KgBuild)
WITH document, '#part-' + toString(document.meta_part) AS part
OPTIONAL MATCH (first:Document:KgBuild {
  source: CASE WHEN document.source ENDS WITH part
               THEN left(document.source, size(document.source) - size(part)) END
})
WITH document, coalesce(first, document) AS whole
WHERE all(c IN $conditions WHERE
  CASE WHEN c.operator IN ['=', '!='] THEN (c.operator = '!=') <>
    any(x IN reduce(all = [], key IN c.keys | all + coalesce(whole[key], document[key], [])) WHERE
      x IN c.numbers OR toString(x) IN c.texts OR toLower(toString(x)) IN c.switches
      OR any(p IN c.patterns WHERE toString(x) =~ p))
  ELSE any(x IN reduce(all = [], key IN c.keys | all + coalesce(whole[key], document[key], [])) WHERE
    any(two IN [kind IN c.kinds |
      CASE WHEN kind = 'number' AND toString(x) =~ $number THEN [toFloat(x), c.numbers[0]]
           WHEN kind = 'date' AND toString(x) =~ $date
             THEN [left(toString(x), size(c.texts[0])), c.texts[0]]
           WHEN kind = 'text' AND NOT toString(x) =~ $number AND NOT toString(x) =~ $date
             THEN [toString(x), c.texts[0]] END]
        WHERE two IS NOT NULL AND (
          (c.operator CONTAINS '<' AND two[0] < two[1]) OR (c.operator CONTAINS '>' AND two[0] > two[1])
          OR (c.operator CONTAINS '=' AND two[0] = two[1]))))
  END)
// The chunks of a copy are those of its original.
OPTIONAL MATCH (document)-[:COPY_OF]->(original:Document:KgBuild)
WITH DISTINCT coalesce(original, document) AS document
RETURN document.id AS id, COUNT { (document)<-[:PART_OF]-(:KgBuild) } AS chunks ORDER BY id

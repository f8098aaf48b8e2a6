// Finds the documents that meet all conditions, each with the number of its chunks. A later part of
// a long text has the source, the title and the metadata of the first part. Values are compared as
// numbers if both are numbers, else as text; a document without the field only meets `!=`.
MATCH (document:Document:KgBuild)
WITH document, '#part-' + toString(document.meta_part) AS part
OPTIONAL MATCH (first:Document:KgBuild {
  source: CASE WHEN document.source ENDS WITH part
               THEN left(document.source, size(document.source) - size(part)) END
})
WITH document, coalesce(first, document) AS whole
WHERE all(c IN $conditions WHERE any(x IN [coalesce(whole[c.key], document[c.key])] WHERE
  CASE WHEN c.operator IN ['=', '!='] THEN
    (c.operator = '!=') <> coalesce(
      x IN c.numbers OR toString(x) IN c.texts OR any(p IN c.patterns WHERE toString(x) =~ p), false)
  ELSE any(two IN [CASE WHEN c.numbers <> [] AND toFloatOrNull(x) IS NOT NULL
                        THEN [toFloatOrNull(x), c.numbers[0]]
                        ELSE [toString(x), c.texts[0]] END] WHERE
    (c.operator CONTAINS '<' AND two[0] < two[1]) OR (c.operator CONTAINS '>' AND two[0] > two[1])
    OR (c.operator CONTAINS '=' AND two[0] = two[1]))
  END))
RETURN document.id AS id, COUNT { (document)<-[:PART_OF]-(:KgBuild) } AS chunks ORDER BY id

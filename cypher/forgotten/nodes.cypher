// Reads all texts of all nodes but their initials, and whether the next index writes them again.
MATCH (node:KgBuild)
RETURN [label IN labels(node) WHERE label IN $labels][0] AS kind,
       coalesce(node.name, node.title, node.source, node.id) AS name,
       coalesce(node.stale, node.undescribed, node.unresolved, false) OR node:BatchRequest
       OR EXISTS { (node)<-[:HAS_FINDING]-(report:Community:KgBuild) WHERE report.stale } AS pending,
       reduce(texts = [], key IN [key IN keys(node) WHERE key <> 'initials'
         AND (node[key] IS :: STRING OR node[key] IS :: LIST<STRING NOT NULL>)] | texts + node[key]) AS texts

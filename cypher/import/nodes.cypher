// Reads the nodes with a label of another database that have no earlier label, and what goes out of
// them to nodes with one of $labels. The values are those of $properties, and of $named at the end.
MATCH (n:$($label)) WHERE none(one IN $earlier WHERE one IN labels(n))
RETURN [one IN $properties | n[one]] AS values,
  COLLECT {
    MATCH (n)-[r]->(end)
    WHERE type(r) IN $types AND any(one IN labels(end) WHERE one IN $labels)
    RETURN {type: type(r), properties: properties(r), labels: labels(end),
            values: [one IN $named | end[one]]}
  } AS relationships

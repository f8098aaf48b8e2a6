// Reads the keys and names of the nodes with a label of another database that have no earlier label.
MATCH (n:$($label)) WHERE none(one IN $earlier WHERE one IN labels(n))
RETURN n[$key] AS key, n[$name] AS name

// Reads which property of the nodes with a label is unique.
SHOW CONSTRAINTS YIELD labelsOrTypes, properties, entityType, type
WHERE entityType = 'NODE' AND size(properties) = 1 AND (type CONTAINS 'UNIQUE' OR type CONTAINS 'KEY')
RETURN labelsOrTypes[0] AS label, properties[0] AS property

// Reads the range indexes, and whether a uniqueness constraint owns them.
SHOW INDEXES YIELD type, labelsOrTypes, properties, owningConstraint
WHERE type = 'RANGE'
RETURN labelsOrTypes[0] AS label, properties, owningConstraint IS NOT NULL AS unique

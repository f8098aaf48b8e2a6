// Reads all indexes by name, with their labels, properties and configuration, and whether a
// uniqueness constraint owns them.
SHOW INDEXES YIELD name, type, entityType, labelsOrTypes, properties, options, owningConstraint
RETURN name, type, entityType AS of, coalesce(labelsOrTypes, []) AS labels,
       coalesce(properties, []) AS properties, options.indexConfig AS config,
       owningConstraint IS NOT NULL AS unique

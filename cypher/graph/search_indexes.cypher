// Reads all indexes by name, with their labels, properties and configuration.
SHOW INDEXES YIELD name, type, entityType, labelsOrTypes, properties, options
RETURN name, type, entityType AS of, labelsOrTypes AS labels, properties, options.indexConfig AS config

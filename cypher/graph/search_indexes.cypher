// All indexes by name: what each is on, and how it is configured.
SHOW INDEXES YIELD name, type, entityType, labelsOrTypes, properties, options
RETURN name, type, entityType AS of, labelsOrTypes AS labels, properties, options.indexConfig AS config

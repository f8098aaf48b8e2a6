// All indexes by name: what each is on, and how it is configured.
SHOW INDEXES YIELD name, type, labelsOrTypes, properties, options
RETURN name, type, labelsOrTypes AS labels, properties, options.indexConfig AS config

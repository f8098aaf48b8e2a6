// Reads the version of Graph Data Science; a server without it refuses the statement.
RETURN gds.version() AS version

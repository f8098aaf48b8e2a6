// Reads the components of the server; the system database also understands it.
CALL dbms.components() YIELD versions, edition
RETURN versions, edition

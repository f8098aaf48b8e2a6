// Reads the components of the server; the system database understands it, too.
CALL dbms.components() YIELD versions, edition
RETURN versions, edition

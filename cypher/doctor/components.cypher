// Reads the components of the server; the system database understands it, too.
CALL dbms.components() YIELD name, versions, edition
RETURN name, versions, edition

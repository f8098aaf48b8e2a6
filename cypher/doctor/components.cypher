// What the server consists of; plain enough for the system database, too.
CALL dbms.components() YIELD name, versions, edition
RETURN name, versions, edition

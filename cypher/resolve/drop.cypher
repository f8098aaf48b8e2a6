// Removes decisions.
UNWIND $ids AS id
MATCH ()-[compared:COMPARED {id: id}]->()
DELETE compared

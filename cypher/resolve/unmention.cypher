// Removes mentions whose parts have all moved to other entities.
UNWIND $rows AS row
MATCH (:Chunk {id: row.chunk})-[mention:MENTIONS]->(:Entity {id: row.entity})
DELETE mention

// The corpus at a glance: the numbers of its documents, chunks, entities and other records.
UNWIND [
  ['documents', COUNT { (:Document) }], ['chunks', COUNT { (:Chunk) }],
  ['entities', COUNT { (:Entity) }], ['relationships', COUNT { ()-[:RELATED]->() }],
  ['claims', COUNT { (:Claim) }], ['communities', COUNT { (:Community) }],
  ['findings', COUNT { (:Finding) }]
] AS row
RETURN row[0] AS kind, row[1] AS number

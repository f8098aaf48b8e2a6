// The corpus at a glance: how much there is of everything.
UNWIND [
  ['documents', COUNT { (:Document) }], ['chunks', COUNT { (:Chunk) }],
  ['entities', COUNT { (:Entity) }], ['relationships', COUNT { ()-[:RELATED]->() }],
  ['claims', COUNT { (:Claim) }], ['communities', COUNT { (:Community) }],
  ['findings', COUNT { (:Finding) }]
] AS row
RETURN row[0] AS kind, row[1] AS number

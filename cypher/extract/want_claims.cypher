// Saves whether this index extracts claims; if not, no chunk is waiting for them.
MERGE (state:State:KgBuild {id: 'graph'})
SET state.claims = $claims

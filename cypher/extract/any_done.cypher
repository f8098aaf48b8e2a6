// Tells whether any chunk has been read.
// `ref >= 0` is always true; an index of two properties serves only a search by both.
RETURN EXISTS { MATCH (chunk:Chunk:KgBuild) WHERE chunk.extraction = 'done' AND chunk.ref >= 0 } AS found

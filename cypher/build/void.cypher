// Ends builds whose process has ended without doing so.
UNWIND $builds AS id
MATCH (build:Build {id: id})
SET build.outcome = 'interrupted', build.finished = datetime()

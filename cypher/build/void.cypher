// Ends builds whose process is gone.
UNWIND $builds AS id
MATCH (build:Build {id: id})
SET build.outcome = 'interrupted', build.finished = datetime()

// Marks the pairs whose description was made with other settings.
MATCH (:KgBuild)-[x:RELATED]->(:KgBuild)
WHERE x.description_with < $signature OR x.description_with > $signature
SET x.undescribed = true

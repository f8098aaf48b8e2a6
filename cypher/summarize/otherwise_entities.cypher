// Marks the entities whose description was made with other settings.
MATCH (x:Entity:KgBuild)
WHERE x.description_with < $signature OR x.description_with > $signature
SET x.undescribed = true

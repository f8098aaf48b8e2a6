// Marks what was described with other settings.
MATCH ()-[x:RELATED]->()
WHERE x.description_with IS NOT NULL AND x.description_with <> $signature
SET x.undescribed = true

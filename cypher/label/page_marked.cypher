// Gives a page of entities whose types have changed the labels of their types.
MATCH (entity:Entity:KgBuild) WHERE entity.unlabelled = true
WITH entity LIMIT $limit
REMOVE entity:$($given), entity.unlabelled
SET entity:$(coalesce($labels[entity.type], []))
RETURN max(entity.id) AS last, count(*) AS n

// Gives a page of entities, in the order of their ids, the labels of their types.
MATCH (entity:Entity:KgBuild) WHERE entity.id > $after
WITH entity ORDER BY entity.id LIMIT $limit
REMOVE entity:$($given), entity.unlabelled
SET entity:$(coalesce($labels[entity.type], []))
RETURN max(entity.id) AS last, count(*) AS n

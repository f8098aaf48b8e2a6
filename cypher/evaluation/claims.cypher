// Reads a page of claims. The id of a claim is a hash of its chunk and its content.
MATCH (claim:Claim:KgBuild) WHERE claim.id > $after
WITH claim ORDER BY claim.id LIMIT $limit
RETURN claim.id AS id, [coalesce(claim.description, '')] AS content
ORDER BY id

// Reads the keys of all requests that are saved.
MATCH (request:BatchRequest:KgBuild)
RETURN request.id AS id

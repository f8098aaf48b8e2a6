// Reads the keys of all requests that are saved.
MATCH (request:BatchRequest)
RETURN request.id AS id

// Reads a request: its reply, or why it has none. Without both, its batch is not answered yet.
MATCH (request:BatchRequest {id: $id})
RETURN request.text AS text, coalesce(request.cut, false) AS cut, request.error AS error,
       request.problem AS problem, coalesce(request.tries, 0) AS tries

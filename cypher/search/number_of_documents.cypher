// Counts all documents.
RETURN COUNT { (:Document) } AS n

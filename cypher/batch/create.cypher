// Creates a batch whose file is uploaded and which is not sent yet.
CREATE (batch:Batch {id: $id})
SET batch += $properties, batch.state = 'uploaded', batch.uploaded = datetime()

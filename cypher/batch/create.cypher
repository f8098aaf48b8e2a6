// Creates a batch whose file is uploaded and which is not sent yet.
CREATE (batch:Batch:KgBuild {id: $id})
SET batch += $properties, batch.state = 'uploaded', batch.uploaded = datetime()

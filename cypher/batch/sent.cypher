// Saves that the provider has a batch, and its state there.
MATCH (batch:Batch {id: $id})
SET batch.provider_id = $provider, batch.state = $state, batch.answered = $answered,
    batch.sent = coalesce(batch.sent, datetime())

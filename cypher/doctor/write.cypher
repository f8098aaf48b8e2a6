// A node as a build writes it; the transaction is rolled back.
CREATE (build:Build {id: $id})

// Creates a node as a build does; the transaction is rolled back.
CREATE (build:Build:KgBuild {id: $id})

// Reads the decisions of the rules in blocks.
UNWIND $blocks AS block
MATCH (a:Spelling:KgBuild)-[compared:COMPARED {block: block}]->(b:Spelling)
RETURN compared.id AS id, a.id AS one, b.id AS other, compared.verdict AS verdict,
       compared.origin AS origin, compared.reason AS reason, compared.block AS block,
       compared.saw AS saw

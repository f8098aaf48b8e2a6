// Writes communities; existing ones keep their other properties. Marks the changed ones, and adds
// the members that have left: the report of the community may tell about them until it is written
// again.
UNWIND $rows AS row
MERGE (community:Community:KgBuild {id: row.id})
  ON CREATE SET community.ref = row.ref, community.stale = true
SET community.level = row.level, community.size = row.size,
    community.unchecked = CASE WHEN row.unchecked > 0 THEN row.unchecked END,
    community.stale = CASE WHEN row.changed THEN true ELSE community.stale END,
    community.former_members = CASE WHEN row.left = [] THEN community.former_members
      ELSE coalesce(community.former_members, []) + row.left END
REMOVE community.lost

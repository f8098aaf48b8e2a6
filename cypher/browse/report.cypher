// The report of one community, its rating, and the members with the most relationships.
MATCH (community:Community {ref: $community})
WITH community, COLLECT {
  MATCH (community)<-[:PARENT*0..]-()<-[:IN_COMMUNITY]-(entity:Entity)
  RETURN entity.name ORDER BY entity.degree DESC, entity.name LIMIT 100
} AS members
WITH split(coalesce(community.report, community.title, ''), '\n')
     + ['', 'Rating: ' + coalesce(toString(community.rating), 'none') + '. '
        + coalesce(community.rating_explanation, ''),
        '', 'Members: ' + reduce(names = '', name IN members | names + name + '; ')] AS paragraphs
WITH reduce(lines = [], paragraph IN paragraphs | lines + reduce(
       cut = [''], word IN split(paragraph, ' ') |
       CASE WHEN cut[-1] = '' THEN cut[..-1] + [word]
            WHEN size(cut[-1]) + size(word) < 72 THEN cut[..-1] + [cut[-1] + ' ' + word]
            ELSE cut + [word] END)) AS lines
RETURN reduce(text = '', line IN lines | text + line + '\n') AS report

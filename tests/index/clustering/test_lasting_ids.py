"""A community that lives on keeps its id, and no two communities get the same."""

from collections.abc import Sequence

from hypothesis import given
from hypothesis import strategies as st

from graphrag_neo4j.index.clustering.tree import TreeCommunity, lasting_ids


def flat(*parts: str) -> list[TreeCommunity]:
    return [TreeCommunity.of(0, part, None) for part in parts]


def paths(**communities: str) -> dict[str, list[str]]:
    return {member: [id_] for id_, members in communities.items() for member in members}


def ids(communities: Sequence[TreeCommunity], former: dict[str, list[str]]) -> list[str]:
    lasting = lasting_ids(communities, former)
    return [lasting[community.id] for community in communities]


def test_members_may_come_and_go() -> None:
    former = paths(one="abcd", two="wxyz")
    assert ids(flat("abcw", "dxyz"), former) == ["one", "two"]


def test_the_larger_part_of_a_community_that_falls_apart_keeps_its_id() -> None:
    larger, smaller = ids(flat("abc", "d"), paths(one="abcd"))
    assert larger == "one"
    assert smaller not in {"one", larger}


def test_a_new_community_never_gets_the_id_of_one_that_lives_on() -> None:
    """The older one began with the members that the new one has now."""
    new, old = flat("ab", "cdefg")
    former = {member: [new.id] for member in "cdefg"}
    found = lasting_ids([new, old], former)
    assert found[old.id] == new.id
    assert found[new.id] != new.id


partitions = st.dictionaries(st.sampled_from("abcdefghij"), st.sampled_from("pqrs"))


@given(partitions, partitions)
def test_ids_are_given_once_and_the_same_communities_keep_theirs(
    before: dict[str, str], after: dict[str, str]
) -> None:
    former = {member: [home] for member, home in before.items()}
    parts = {home: {m for m, at in after.items() if at == home} for home in after.values()}
    now = [TreeCommunity.of(0, part, None) for part in parts.values()]
    lasting = lasting_ids(now, former)
    assert len(set(lasting.values())) == len(now)
    for community in now:
        homes = {before.get(member) for member in community.members}
        if len(homes) == 1 and (home := homes.pop()) is not None:
            whole = {m for m, at in before.items() if at == home} == set(community.members)
            assert not whole or lasting[community.id] == home

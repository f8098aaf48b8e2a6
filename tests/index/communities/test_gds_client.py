"""The client graphdatascience, with which people analyse a graph, finds the same communities."""

import random
import warnings

import pandas as pd
import pytest

from graphrag_neo4j.graph.connection import Graph
from graphrag_neo4j.index.communities.gds import leiden_in_gds
from graphrag_neo4j.index.communities.gds_client import first_seen
from graphrag_neo4j.index.communities.hierarchy import Edges
from graphrag_neo4j.index.communities.tree import Leiden
from tests.support.servers import TestServer

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # of the package at its import
    from graphdatascience import GraphDataScience


@pytest.mark.filterwarnings("ignore")  # of the package: it calls pandas in a way that will go
async def test_the_client_of_gds_finds_the_same_communities(
    graph: Graph, server: TestServer
) -> None:
    chance, leiden, gamma = random.Random(5), Leiden(), 1.0
    pairs = {
        (min(a, b), max(a, b))
        for a in range(90)
        for b in chance.sample([n for n in range(90) if n != a and n // 15 == a // 15], 4)
        + chance.sample(range(90), 1)
        if a != b
    }
    named = [(f"{a:02}", f"{b:02}", float(chance.randint(1, 5))) for a, b in sorted(pairs)]
    edges = Edges.of(named, {name for pair in named for name in pair[:2]})
    with leiden_in_gds(graph, leiden) as detect:
        labels = detect(edges, gamma)
    nodes = first_seen(edges).tolist()  # what Leiden finds depends on their order
    place = {node: n for n, node in enumerate(nodes)}
    relationships = pd.DataFrame(
        {
            "sourceNodeId": [place[a] for a in edges.starts.tolist()],
            "targetNodeId": [place[b] for b in edges.ends.tolist()],
            "weight": edges.weights.tolist(),
        }
    )
    with GraphDataScience(server.uri, auth=(server.username, server.password)) as gds:
        projected = gds.graph.construct(
            "of-the-client",
            pd.DataFrame({"nodeId": range(len(nodes))}),
            relationships.assign(relationshipType="TO"),
            undirected_relationship_types=["TO"],
        )
        found = gds.leiden.stream(
            projected,
            relationship_weight_property="weight",
            random_seed=leiden.seed,
            gamma=gamma,
            theta=leiden.theta,
            concurrency=1,
        )
        projected.drop()
    by_client: dict[int, set[int]] = {}
    for node, community in zip(found["nodeId"], found["communityId"], strict=True):
        by_client.setdefault(community, set()).add(nodes[node])
    ours: dict[int, set[int]] = {}
    for number, label in enumerate(labels.tolist()):
        ours.setdefault(label, set()).add(number)
    assert len(ours) > 3
    assert sorted(map(sorted, ours.values())) == sorted(map(sorted, by_client.values()))

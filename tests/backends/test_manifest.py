"""The manifest for Kubernetes names what the command and its documentation say.

KubeRay's own schema is in no package, so this checks what can be known without it.
"""

from typing import Any

import yaml

from graphrag_neo4j.cli.index import index
from tests.support.paths import ROOT

MANIFEST = yaml.safe_load((ROOT / "docs" / "cluster" / "rayjob.yaml").read_text("utf-8"))
CLUSTER = MANIFEST["spec"]["rayClusterSpec"]
SECRET = ("KEY", "PASSWORD", "TOKEN")


def pods() -> list[dict[str, Any]]:
    groups = [CLUSTER["headGroupSpec"], *CLUSTER["workerGroupSpecs"]]
    return [group["template"]["spec"] for group in groups]


def test_secrets_stand_in_the_head_alone_and_by_reference() -> None:
    head, *workers = [
        {one["name"]: one for one in pod["containers"][0]["env"] if one["name"].endswith(SECRET)}
        for pod in pods()
    ]
    assert set(head) == {"NEO4J_PASSWORD", "OPENAI_API_KEY"}
    assert all(set(one) == {"name", "valueFrom"} for one in head.values())
    assert all(set(one["valueFrom"]) == {"secretKeyRef"} for one in head.values())
    assert not any(workers)


def test_all_pods_have_one_image_and_the_same_documents() -> None:
    assert len({pod["containers"][0]["image"] for pod in pods()}) == 1
    mounts = [pod["containers"][0]["volumeMounts"] for pod in pods()]
    assert all(one == mounts[0] for one in mounts)
    assert MANIFEST["spec"]["entrypoint"] == f"kg-build index {mounts[0][0]['mountPath']} --ray"
    assert any("--ray" in option.opts for option in index.params)


def test_there_are_as_many_workers_as_the_machines_have_cpus() -> None:
    cpus = sum(
        group["replicas"] * int(group["rayStartParams"]["num-cpus"])
        for group in CLUSTER["workerGroupSpecs"]
    )
    [workers] = [
        one["value"] for one in pods()[0]["containers"][0]["env"] if one["name"] == "KG_WORKERS"
    ]
    assert int(workers) == cpus
    assert CLUSTER["rayVersion"] in (ROOT / "docs" / "cluster.md").read_text("utf-8")

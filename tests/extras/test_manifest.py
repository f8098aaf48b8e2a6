"""The manifest for Kubernetes names what the command and its documentation say.

KubeRay's own schema is in no package, so this checks what can be known without it.
"""

from typing import Any

import yaml

from graphrag_neo4j.cli.index import index_command
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


def test_pods_have_one_image_the_same_documents_and_a_worker_for_each_cpu() -> None:
    containers = [pod["containers"][0] for pod in pods()]
    mounts = containers[0]["volumeMounts"]
    assert all(one["image"] == containers[0]["image"] for one in containers)
    assert all(one["volumeMounts"] == mounts for one in containers)
    assert MANIFEST["spec"]["entrypoint"] == f"kg-build index {mounts[0]['mountPath']} --ray"
    assert any("--ray" in option.opts for option in index_command.params)
    groups = CLUSTER["workerGroupSpecs"]
    cpus = sum(one["replicas"] * int(one["rayStartParams"]["num-cpus"]) for one in groups)
    [workers] = [one["value"] for one in containers[0]["env"] if one["name"] == "KG_WORKERS"]
    assert int(workers) == cpus
    assert CLUSTER["rayVersion"] in (ROOT / "docs" / "cluster.md").read_text("utf-8")

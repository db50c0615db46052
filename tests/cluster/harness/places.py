"""Where everything is: folders, addresses and ports of the one cluster a machine can have.

All addresses are loopback ones or of the test network 10.88.7.0/24, which lives on a bridge of
this machine only. Nothing listens on an address that another machine can reach.
"""

from __future__ import annotations

import os
from pathlib import Path

#: Everything a running cluster writes. The name is fixed, so what a killed run left is found.
#: Not in a temporary folder of the test run: /var/tmp is on a disk, as containerd wants.
STATE = Path("/var/tmp/argojobs-cluster")

#: The lock of all who use the cluster; beside the state, because the state folder comes and goes.
LOCK = Path("/var/tmp/argojobs-cluster.lock")

#: The control group that all processes of the cluster, pods included, are born into.
CONTROL_GROUP = "argojobs-cluster"

#: The network of the pods. This machine is .1 in it.
BRIDGE = "cni7"
HOST_ADDRESS = "10.88.7.1"
POD_SUBNET = "10.88.7.0/24"

#: Where pods look for the API server: the first address of the service network, put on `lo`.
SERVICE_SUBNET = "10.96.0.0/16"
API_ADDRESS = "10.96.0.1"
API_URL = f"https://{API_ADDRESS}:443"

NODE = "node1"
NAMESPACE = "argo"

S3_PORT = 8333
S3_ENDPOINT = f"{HOST_ADDRESS}:{S3_PORT}"
S3_BUCKET = "my-bucket"
S3_ACCESS_KEY = "admin"
S3_SECRET_KEY = "password"

#: Not 5000, where Debian's own service of docker-registry listens.
REGISTRY_PORT = 5088
REGISTRY = f"{HOST_ADDRESS}:{REGISTRY_PORT}"
REGISTRY_URL = f"http://{REGISTRY}"

ARGO_PORT = 2746
ARGO_TLS_PORT = 2747


def cache() -> Path:
    """The user's folder of what is costly to make: programs and images, keyed by what they are made from."""
    base = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    return Path(base) / "argojobs-cluster"

"""The servers: two of fixed names and ports, and more of names that say their ports."""

from __future__ import annotations

from harness import argo
from harness.places import ARGO_PORT, ARGO_TLS_PORT


def test_a_server_of_a_test_is_a_plain_one_at_the_port_in_its_name() -> None:
    plain = argo.server("argo-server")
    assert plain[0] == ARGO_PORT
    assert argo.server("argo-server-3456") == (3456, plain[1])
    assert argo.server("argo-server-tls")[0] == ARGO_TLS_PORT

"""A registry of images that wants a password for somebody else, or our memory or time."""

import time

import pytest
from support.hostile_server import ENDLESS, ODD, hostile, once, whole

from argojobs.errors import ArgojobsError
from argojobs.images.logins.credentials import Credentials
from argojobs.images.registry import connection
from argojobs.images.registry.client import open_registry
from argojobs.images.registry.trial import try_push

WITHIN = 20.0
WHO = Credentials("somebody", "a-password-of-ours", identity_token="an-identity-token")
OPERATIONS = {
    "digest": lambda registry: registry.digest("r", "1"),
    "manifest": lambda registry: registry.manifest("r", "1"),
    "blob": lambda registry: registry.blob("r", f"sha256:{'0' * 64}"),
    "push": lambda registry: try_push(registry, "r"),
    "tag": lambda registry: registry.add_tag("r", f"sha256:{'0' * 64}", "1"),
    "delete": lambda registry: registry.delete("r", f"sha256:{'0' * 64}"),
}
pytestmark = pytest.mark.usefixtures("small", "figure")


@pytest.fixture(autouse=True)
def _hasty(monkeypatch):
    monkeypatch.setattr(connection, "TIMEOUT", (2, 2))


def tried(server, operation, who=WHO):
    """Try an operation and return what it raised, None for nothing."""
    begun, error = time.monotonic(), None
    try:
        OPERATIONS[operation](open_registry(server.url, who))
    except ArgojobsError as raised:
        error = raised
    assert "a-password-of-ours" not in str(error)
    assert "an-identity-token" not in str(error)
    assert "\x1b" not in str(error)
    assert time.monotonic() - begun < WITHIN
    return error


@pytest.mark.parametrize("how", ENDLESS)
def test_an_answer_without_end_is_an_error(how):
    with hostile(ENDLESS[how]) as server:
        assert tried(server, "manifest") is not None
    assert server.sent < 1 << 25


@pytest.mark.parametrize("odd", ODD)
@pytest.mark.parametrize("operation", OPERATIONS)
def test_an_answer_of_another_shape_is_an_error_or_means_nothing(operation, odd):
    for status in ("200 OK", "401 No", "403 No", "500 Bad"):
        with hostile(once(whole(ODD[odd], status=status))) as server:
            tried(server, operation)


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
@pytest.mark.parametrize("operation", OPERATIONS)
def test_what_is_sent_and_who_we_are_go_to_no_other_address(operation, status):
    with hostile(once(whole(b"{}"))) as elsewhere:
        moved = whole(b"", status=f"{status} Moved", Location=f"{elsewhere.url}/token")

        def answer(request):
            if b"/token" in request.split(b"\r\n")[0] or b"Bearer" in request:
                yield moved  # who asks for a token, or shows one, is sent elsewhere
            else:
                realm = f'Bearer realm="{server.url}/token",service="x"'
                yield whole(b"", status="401 No", WWW_Authenticate=realm)

        for who in (WHO, Credentials("somebody", "a-password-of-ours")):
            with hostile(answer) as server:
                tried(server, operation, who)
    for request in elsewhere.requests:
        assert request.startswith((b"GET", b"HEAD"))
        assert b"authorization" not in request.lower()
        assert b"identity" not in request.lower().replace(b"accept-encoding: identity", b"")


@pytest.mark.parametrize("told", ["x", "sha256:\x1b[2J", "sha256:" + "g" * 64, "sha256:../../x"])
def test_a_digest_that_is_none_is_not_believed(told):
    with hostile(once(whole(b"{}", Docker_Content_Digest=told))) as server:
        digest = open_registry(server.url).digest("r", "1")
    assert digest == "sha256:44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a"

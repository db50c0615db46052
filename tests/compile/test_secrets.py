"""Files that look like secrets. The samples are put together here, so that this file is none."""

import pytest

from argojobs.compile.secrets import looks_secret

KEY = b"-----BEGIN OPENSSH PRIVATE" + b" KEY-----\nabc\n"
CERTIFICATE = b"-----BEGIN CERTIFICATE-----\nabc\n-----END CERTIFICATE-----\n"


@pytest.mark.parametrize(
    "name",
    [
        "creds.yaml",
        "conf/.env",
        ".env.local",
        "id_rsa",
        "a/b.PEM",
        "kubeconfig",
        "x.kubeconfig",
        ".netrc",
        "secrets.toml",
        "server.key",
        "credentials",
        "my.p12",
    ],
)
def test_by_name(name: str) -> None:
    assert looks_secret(name, b"x: y\n") == "its name"


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (b"x\n" + KEY, "a private key"),
        (b"key = '" + b"AKIA" + b"QWERTYUIOPASDFGH" + b"'", "an AWS key"),
        (b"aws_secret_access_key" + b" = " + b"a1Bc" * 10, "an AWS key"),
        (b"TOKEN=gh" + b"p_" + b"a1" * 18, "a GitHub token"),
        (b"hf" + b"_" + b"a" * 34, "a Hugging Face token"),
        (b"client-key" + b"-data: " + b"QUJD" * 20, "a Kubernetes key"),
    ],
)
def test_by_content(content: bytes, why: str) -> None:
    assert looks_secret("notes.txt", content) == why


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("train.py", b"print('PRIVATE KEY')\n"),
        ("ca.pem", CERTIFICATE),
        (".env.example", b"TOKEN=\n"),
        (".env", b""),
        ("docs.md", b"AKIA" + b"IOSFODNN7EXAMPLE"),
        ("credentials.py", b"def read(): ...\n"),
        ("tokenizer.json", b"{}"),
        ("environment.yaml", b"name: x"),
    ],
)
def test_what_is_none(name: str, content: bytes) -> None:
    assert looks_secret(name, content) == ""


def test_a_pem_of_a_certificate_and_its_key_is_one() -> None:
    assert looks_secret("server.pem", CERTIFICATE + KEY) == "its name"

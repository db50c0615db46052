"""Files that look like secrets: by their name, or by what is in them.

A bundle is stored where others can read it, so a key that lies in the project by accident would
be published. Looking is cheap and errs on the careful side; `.argojobsignore` leaves a file out,
`--allow-secret-files` lets it travel.
"""

from __future__ import annotations

import re
from fnmatch import fnmatchcase

_NAMES = (
    *("creds.yaml", "creds.yml", "creds.json", "credentials", "credentials.*"),
    *("secrets.yaml", "secrets.yml", "secrets.json", "secrets.toml", "*.secret"),
    *(".env", ".env.*", "*.env", ".netrc", "_netrc", ".pgpass", ".pypirc", ".htpasswd"),
    *("id_rsa", "id_dsa", "id_ecdsa", "id_ed25519", "*.ppk", "*.p12", "*.pfx", "*.jks"),
    *("*.pem", "*.key", "*.keystore", "*.kdbx", "kubeconfig", "kubeconfig.*", "*.kubeconfig"),
    *(".git-credentials", ".dockercfg", ".dockerconfigjson", "client_secret*.json"),
)
_EXAMPLES = (".example", ".sample", ".template", ".dist")
_PEM = re.compile(rb"-----BEGIN ([A-Z0-9 ]+)-----")

#: What to find, after which literal to look for it, and what to call it.
_CONTENTS: tuple[tuple[bytes, re.Pattern[bytes], str], ...] = tuple(
    (literal, re.compile(pattern), name)
    for literal, pattern, name in (
        (b"PRIVATE KEY", rb"-----BEGIN [A-Z0-9 ]*PRIVATE KEY( BLOCK)?-----", "a private key"),
        (b"AKIA", rb"\bAKIA(?![A-Z0-9]{9}EXAMPLE)[A-Z2-7]{16}\b", "an AWS key"),
        (b"ASIA", rb"\bASIA(?![A-Z0-9]{9}EXAMPLE)[A-Z2-7]{16}\b", "an AWS key"),
        (
            b"aws_secret_access_key",
            rb"aws_secret_access_key\s*[=:]\s*[\"']?(?![A-Za-z0-9/+]{0,36}EXAMPLE)[A-Za-z0-9/+]{40}\b",
            "an AWS key",
        ),
        (b"client-key-data", rb"client-key-data:\s*[A-Za-z0-9+/]{60}", "a Kubernetes key"),
        (b"ghp_", rb"\bghp_[A-Za-z0-9]{36}\b", "a GitHub token"),
        (b"github_pat_", rb"\bgithub_pat_[A-Za-z0-9_]{60}", "a GitHub token"),
        (b"glpat-", rb"\bglpat-[A-Za-z0-9_-]{20}", "a GitLab token"),
        (b"hf_", rb"\bhf_[A-Za-z0-9]{34}\b", "a Hugging Face token"),
        (b"xox", rb"\bxox[abprs]-[0-9]{8,}-[A-Za-z0-9-]{10,}", "a Slack token"),
    )
)


def looks_secret(name: str, content: bytes) -> str:
    """Say why a file looks like a secret: `its name`, `a private key`; "" if it does not.

    name: its path in the project. A `.pem` of certificates only is none, nor is an example file.
    """
    base = name.rpartition("/")[2].lower()
    if any(fnmatchcase(base, pattern) for pattern in _NAMES) and not base.endswith(_EXAMPLES):
        blocks = set(_PEM.findall(content)) if base.endswith((".pem", ".key")) else set()
        public = blocks and all(b"PRIVATE" not in block for block in blocks)
        if content.strip() and not public and not base.endswith(".py"):
            return "its name"
    for literal, pattern, what in _CONTENTS:
        if literal in content and pattern.search(content):
            return what
    return ""

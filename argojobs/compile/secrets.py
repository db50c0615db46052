"""Files that look like secrets: by their name, or by what is in them.

A bundle is stored where others can read it, so a key that lies in the project by accident would
be published. Looking is cheap and errs on the careful side; `.argojobsignore` leaves a file out,
`--allow-secret-files` lets it travel.
"""

from __future__ import annotations

import re
from fnmatch import fnmatchcase

from argojobs.dsl.tokens import TOKENS

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
    (literal.encode(), re.compile(pattern.encode()), name) for literal, pattern, name in TOKENS
)


def looks_secret(name: str, content: bytes) -> str:
    """Say why a file looks like a secret: `its name`, `a private key`; "" if it does not.

    name: its path in the project. A `.pem` with only certificates does not, nor does an example file.
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

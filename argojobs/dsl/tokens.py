# travels with: options images
"""What keys and tokens look like, wherever they stand: in an option, or in a file of a bundle.

Plain text, so that nothing is compiled (and `re` not imported) before one of the literals occurs.
"""

from __future__ import annotations

#: What to find, the literal that it holds, and what to call it.
TOKENS: tuple[tuple[str, str, str], ...] = (
    ("PRIVATE KEY", r"-----BEGIN [A-Z0-9 ]*PRIVATE KEY( BLOCK)?-----", "a private key"),
    ("AKIA", r"\bAKIA(?![A-Z0-9]{9}EXAMPLE)[A-Z2-7]{16}\b", "an AWS key"),
    ("ASIA", r"\bASIA(?![A-Z0-9]{9}EXAMPLE)[A-Z2-7]{16}\b", "an AWS key"),
    (
        "aws_secret_access_key",
        r"aws_secret_access_key\s*[=:]\s*[\"']?(?![A-Za-z0-9/+]{0,36}EXAMPLE)[A-Za-z0-9/+]{40}\b",
        "an AWS key",
    ),
    ("client-key-data", r"client-key-data:\s*[A-Za-z0-9+/]{60}", "a Kubernetes key"),
    ("ghp_", r"\bghp_[A-Za-z0-9]{36}\b", "a GitHub token"),
    ("github_pat_", r"\bgithub_pat_[A-Za-z0-9_]{60}", "a GitHub token"),
    ("glpat-", r"\bglpat-[A-Za-z0-9_-]{20}", "a GitLab token"),
    ("hf_", r"\bhf_[A-Za-z0-9]{34}\b", "a Hugging Face token"),
    ("xox", r"\bxox[abprs]-[0-9]{8,}-[A-Za-z0-9-]{10,}", "a Slack token"),
    # The keys of model services: letters of both cases and digits, unlike a name with hyphens.
    ("sk-", r"\bsk-(?=[\w-]*[0-9])(?=[\w-]*[A-Z])(?=[\w-]*[a-z])[\w-]{32,}", "a secret key"),
)


def token_in(text: str) -> str:
    """Say what key or token a text holds: `a GitHub token`; "" for none."""
    for literal, pattern, what in TOKENS:
        if literal in text:
            import re

            if re.search(pattern, text):
                return what
    return ""

"""The version of the requests by which pods are started.

A forkserver keeps the code it was started with, a controller too; when argojobs is updated under
one of them, a request that the other would misread is refused.
"""

from __future__ import annotations

FORMAT = 5

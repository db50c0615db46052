"""`python tests/cluster up|down|status`: the tests' cluster by hand, to keep it while one works."""

from __future__ import annotations

import sys

from harness.commands import main

sys.exit(main(sys.argv[1:]))

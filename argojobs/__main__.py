"""`python -m argojobs`: the same as the program `argojobs`."""

import sys

from argojobs.cli.main import main

if __name__ == "__main__":
    sys.exit(main())

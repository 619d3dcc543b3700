"""``python -m signdoc`` is the program ``signdoc``."""

import sys

from signdoc._cli import main

if __name__ == "__main__":
    sys.exit(main())

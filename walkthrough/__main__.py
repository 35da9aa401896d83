"""``python -m walkthrough``."""

import sys

from walkthrough.cli import main

sys.exit(main())

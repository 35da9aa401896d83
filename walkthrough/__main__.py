"""``python -m walkthrough``."""

import sys

from walkthrough.commands.cli import main

sys.exit(main())

"""``python -m riskcard``: the same as the command ``riskcard``."""

import sys

from riskcard.cli.main import main

sys.exit(main())

"""Makes `source` importable for the laws that read the code."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

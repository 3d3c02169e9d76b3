"""Property tests that run the same on every machine: no deadline, no random start, no database."""

import os

from hypothesis import settings

# The tests of properties take the longest; with EXHAUSTIVE=1 they try as many as hypothesis would.
EXAMPLES = 100 if os.environ.get("EXHAUSTIVE") == "1" else 40

settings.register_profile(
    "steady", deadline=None, derandomize=True, database=None, max_examples=EXAMPLES
)
settings.load_profile("steady")

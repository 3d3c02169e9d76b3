"""Property tests that run the same on every machine: no deadline, no random start, no database."""

from hypothesis import settings

settings.register_profile("steady", deadline=None, derandomize=True, database=None, max_examples=40)
settings.load_profile("steady")

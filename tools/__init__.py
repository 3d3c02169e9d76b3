"""The scripts behind the make targets."""

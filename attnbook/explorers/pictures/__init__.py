"""The widgets at rest, drawn with matplotlib: what shows where no script runs."""

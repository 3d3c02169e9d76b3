"""The folder for a class: `make course`."""

"""The whole book as one PDF: `make pdf`."""

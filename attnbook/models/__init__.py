"""The trained and toy models of the pages, with the data that they read."""

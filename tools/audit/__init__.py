"""`make audit`: what is claimed of every page of the built book, measured, a module for each part.

Slow, and some of it needs Java or a network, so it is not part of `make test`.
"""

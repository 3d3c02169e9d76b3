"""Texts for examples: long ones, and such that attack."""

LONG = [*(f"word{i}" for i in range(11)), "Donaudampfschifffahrt"]
IMAGE = "<img src=x onerror=alert(1)>"
ATTACK = [IMAGE, "$x$ & <b>y</b>"]

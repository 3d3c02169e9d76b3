"""What a page may weigh and what it must score. `make audit` measures; tests hold some of it.

Sizes are what travels with gzip. A KB is 1000 bytes, the stricter of its two meanings.
"""

KB = 1000

# All that a page loads: without widgets, and with.
PAGE_KB = 300
WIDGET_PAGE_KB = 450

# All source of scripts, in files or in the page: the page's own, and of the search page, which has
# on top an index of so much for each page of the book. On top what widgets share, and each kind of
# explorer.
SCRIPT_KB = 15
SEARCH_SCRIPT_KB = 18
INDEX_KB = 2
WIDGET_SCRIPT_KB = 16
EXPLORER_SCRIPT_KB = 10

# What lets published pages work without a network: on top, and not in what `make book` builds.
OFFLINE_SCRIPT_KB = 3

# What widgets of a page hold, where it is too large to stand in the page: parameters, scores.
STATE_KB = 150

# All style sheets, in files or in the page, with the fonts that are in them.
STYLE_KB = 40

# The page itself, with the data, and scripts and styles of its own, that stand in it.
HTML_KB = 75

# Elements of a page with its widgets, as it stands before a reader.
PAGE_ELEMENTS = 9_000

# How far what is on the screen moves while a page loads, as browsers count it.
LAYOUT_SHIFT = 0.05

# Lighthouse: scores from 0 to 100.
MOBILE_PERFORMANCE = 95
DESKTOP_PERFORMANCE = 98
ACCESSIBILITY = 100
BEST_PRACTICES = 100
SEO = 100

from attnbook.explorers.live_cards.explorer import LiveCards

STATES = [LiveCards()]

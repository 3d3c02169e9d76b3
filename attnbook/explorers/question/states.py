from attnbook.explorers._labels import IMAGE
from attnbook.explorers.question.explorer import Question

STATES = [Question("Is it?", answer=1), Question("`a`?", {"b": "", "c": ""}, "c")]
HOSTILE = [Question(IMAGE, {IMAGE: IMAGE, f"`{IMAGE}`": IMAGE}, IMAGE, ordered=True)]

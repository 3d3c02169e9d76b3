from attnbook.explorers.question.explorer import Question
from tests.explorers.labels import IMAGE

STATES = [Question("Is it?", answer=1), Question("`a`?", {"b": "", "c": ""}, "c")]
HOSTILE = [Question(IMAGE, {IMAGE: IMAGE, f"`{IMAGE}`": IMAGE}, IMAGE, ordered=True)]

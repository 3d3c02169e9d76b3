"""What only the book *Attention Layers: an interactive chapter* needs, beside `attnutils`.

`lessons` has the trained and toy models, with their data; `exercises` judges answers; `explorers`
has what slides. The explorers are imported when they are first asked for. The names are those in
`__all__` of the modules, each written there alone.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from attnbook.exercises import check as check
from attnbook.lessons._runs import *
from attnbook.lessons.language import *
from attnbook.lessons.longer_texts import *
from attnbook.lessons.sentence_encoder import *
from attnbook.lessons.toy_tasks import *
from attnbook.lessons.trained_heads import *

if TYPE_CHECKING:
    from attnbook.explorers import *
else:  # hidden from checkers of types, which shall say what there is not

    def __getattr__(name: str) -> Any:
        """Import an explorer or list the public names, when asked for."""
        if name == "__all__":
            own = [name for name, x in globals().items() if is_own(x)]
            return sorted([*own, *import_module("attnbook.explorers").__all__])
        if not name.startswith("_") and name in import_module("attnbook.explorers").__all__:
            return getattr(import_module("attnbook.explorers"), name)
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")

    def is_own(thing: Any) -> bool:
        """Whether a thing is defined here."""
        return getattr(thing, "__module__", "").startswith("attnbook.")

    def __dir__() -> list[str]:
        return sorted({*globals(), *__getattr__("__all__")})

"""How long a text fits on one GPU: what six models keep of it, and one that the reader makes."""

from __future__ import annotations

from typing import Any

from attnbook.explorers._base import Explorer
from attnbook.explorers._traits import Address, Setting, Trait
from attnbook.models.today import STATE, Layers, kept_bytes, layers_of, load_models
from attnutils._checks import Flag, Int

__all__ = ["CacheExplorer"]

LATENT = 512 + 64  # numbers of a token: the latent vector, and a rotary key

MENU = [
    "Llama 2 7B",
    "Llama 3 405B",
    "DeepSeek-V3",
    "Gemma 3 27B",
    "gpt-oss-120b",
    "Qwen3-Next 80B",
]


def _settings(model: dict[str, Any]) -> tuple[int, int, bool, int, int, int, bool]:
    """Layers, one in how many is full, states, window, sets, width, latent."""
    full, *others = model["parts"]
    every = model["layers"] // model["full"]
    keeps_states = any("state" in part for part in others)
    window = next((part["window"] for part in others if "window" in part), 1024)
    shape = full.get("sets", 128), full.get("width", 128)
    return model["layers"], every, keeps_states, window, *shape, "numbers" in full


MODELS = {name: _settings(load_models()[name]) for name in MENU}


def _power(default: int, first: int, last: int, hint: str, address: str) -> Trait:
    """A power of two."""
    options = [2**power for power in range(first, last + 1)]

    def check(explorer: CacheExplorer, x: Any) -> int:
        owner = type(explorer).__name__
        value: int = Int(options[0], hint, options[-1]).check(owner, address, x)
        if value not in options:
            expected = ", ".join(map(str, options))
            raise ValueError(f"{owner}: {address} must be one of {expected}, got {value}; {hint}.")
        return value

    return Trait(default, address=address, check=check, js=("oneOf", options))


class CacheExplorer(Explorer):
    """See what models keep of a text, and where that no longer fits on one GPU of 80 GiB.

    Six models are known; a seventh is the reader's. Every so many layers one is full: it keeps a
    row for each token, 2 bytes a number. The others keep a window of the last tokens, or states, 4
    bytes a number.

    Parameters
    ----------
    layers : int, default 36
        How many layers there are, 1 to 128.
    every : int, default 2
        One layer in so many is full, 1 to 8; with 1 all are.
    states : bool, default False
        The other layers keep states, 32 of 128 × 128 numbers each; else a window.
    window : int, default 128
        Words in a window: a power of two, 64 to 8192.
    sets : int, default 8
        Sets of keys and values in a layer: a power of two, 1 to 128.
    width : int, default 64
        Numbers of a key, and of a value: 64, 128 or 256.
    latent : bool, default False
        A layer keeps one latent vector of a token, 576 numbers, in place of sets.
    words : int, default 131072
        The length of the text: a power of two, 1024 to 1048576.

    References
    ----------
    gemma2025 : windows between full layers, for the sake of the cache.

    Examples
    --------
    >>> explorer = CacheExplorer()
    >>> explorer.full_layers, explorer.total_bytes / 2**30
    (18, 4.50439453125)
    >>> explorer.every = 1
    >>> explorer.total_bytes / 2**30
    9.0
    """

    address = Address("cache")
    #: A row for each: its name, then the settings but for the tokens.
    models = Trait()
    layers = Setting(Int(1, "it counts the layers", 128), 36, address="layers")
    every = Setting(Int(1, "one layer in so many is full", 8), 2, address="every")
    states = Setting(Flag("False keeps windows"), False, address="states")
    window = _power(128, 6, 13, "it counts the tokens of a window", "window")
    sets = _power(8, 0, 7, "it counts the sets of keys and values of a layer", "sets")
    width = _power(64, 6, 8, "it counts the numbers of a key, and of a value", "width")
    latent = Setting(Flag("False keeps sets of keys and values"), False, address="latent")
    words = _power(2**17, 10, 20, "it is the length of the text", "words")

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(models=[[name, *model] for name, model in MODELS.items()], **kwargs)

    @property
    def full_layers(self) -> int:
        """How many layers keep all tokens."""
        return int(self.layers // self.every)

    @property
    def numbers(self) -> int:
        """How many numbers a layer keeps of one token."""
        return LATENT if self.latent else 2 * self.sets * self.width

    @property
    def full_bytes(self) -> int:
        """What the full layers keep."""
        return kept_bytes([Layers(self.full_layers, self.numbers)], self.words)

    @property
    def other_bytes(self) -> int:
        """What the other layers keep: windows or states."""
        n = self.layers - self.full_layers
        state = Layers(n, STATE, window=1, bytes=4)
        window = Layers(n, self.numbers, self.window)
        return kept_bytes([state if self.states else window], self.words)

    @property
    def total_bytes(self) -> int:
        """What all layers keep."""
        return self.full_bytes + self.other_bytes

    @property
    def known_bytes(self) -> list[int]:
        """What each of the six known models keeps."""
        return [kept_bytes(layers_of(load_models()[name]), self.words) for name in MENU]

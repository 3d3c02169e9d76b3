"""As much of anywidget as the book's widgets use, on traitlets alone.

The real one needs ipywidgets, which needs IPython: 4 MB more, for a kernel that is not here. The
page mounts a widget by the name of its class, with its own copy of the script; what travels is the
state, both ways.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import traitlets

Path = list[str | int]

_models: dict[str, "AnyWidget"] = {}


def send(message: dict[str, Any], buffers: Sequence[bytes] = ()) -> object:
    """Send a message to the page; `runner.connect` puts the worker's function here."""


def forget() -> None:
    """Forget the widgets that are on the page."""
    for widget in _models.values():
        widget.model_id = ""
    _models.clear()


def take(model: str, state: dict[str, Any], buffers: Sequence[tuple[Sequence[str], bytes]]) -> None:
    """Take what the reader moved on the page; a widget that is forgotten takes nothing."""
    if model in _models:
        for (name, *_), data in buffers:
            state[name] = data
        _models[model].set_state(state)


def _apart(value: Any, path: Path, paths: list[Path], buffers: list[bytes]) -> Any:
    """Return a value without the bytes in its mappings: they travel apart, with their places."""
    if isinstance(value, list | tuple):
        return [_apart(x, [*path, i], paths, buffers) for i, x in enumerate(value)]
    if not isinstance(value, dict):
        return value
    for key, x in value.items():
        if isinstance(x, bytes):
            paths.append([*path, key])
            buffers.append(x)
    plain = {key: x for key, x in value.items() if not isinstance(x, bytes)}
    return {key: _apart(x, [*path, key], paths, buffers) for key, x in plain.items()}


class AnyWidget(traitlets.HasTraits):
    """A widget whose traits with the tag `sync` are the same here and on the page."""

    _esm = ""
    _css = ""
    #: Its name on the page, empty where it is not shown.
    model_id = ""

    def __init__(self, *args: Any, **traits: Any) -> None:
        super().__init__(*args, **traits)
        self._quiet = False
        self.observe(self._changed, names=self.trait_names(sync=True))

    def shown(self, state: dict[str, Any]) -> tuple[dict[str, Any], list[bytes]]:
        """Return what the page needs to show it, after it has taken the state that it has there."""
        if state:  # not `_take`: explorers take first what says what others may be
            self.set_state(state)
        if not self.model_id:
            self.model_id = f"python-{len(_models)}"
            _models[self.model_id] = self
        data, buffers = self._message(self.trait_names(sync=True))
        return {**data, "widget": type(self).__name__}, buffers

    def get_state(self, names: Sequence[str] | None = None) -> dict[str, Any]:
        """Return the state, or of these traits alone, as it travels."""
        return {name: self._json(name) for name in names or self.trait_names(sync=True)}

    @contextmanager
    def hold_sync(self) -> Iterator[None]:
        """Send what changes meanwhile at the end, and once."""
        before = self.get_state()
        try:
            with self._silence():
                yield
        finally:
            now = self.get_state()
            self._send([name for name in now if now[name] != before[name]])

    def set_state(self, sync_data: dict[str, Any]) -> None:
        """Take the state of the page; send back what became of it, where that is something else."""
        before = self.get_state() | sync_data
        try:
            with self._silence():
                self._take(sync_data)
        finally:
            now = self.get_state()
            self._send([name for name in now if now[name] != before[name]])

    def _take(self, state: dict[str, Any]) -> None:
        with self.hold_trait_notifications():
            for name, value in state.items():
                if self.has_trait(name) and self.trait_metadata(name, "sync"):
                    from_json = self.trait_metadata(name, "from_json")
                    setattr(self, name, from_json(value, self) if from_json else value)

    @contextmanager
    def _silence(self) -> Iterator[None]:
        self._quiet = True
        try:
            yield
        finally:
            self._quiet = False

    def _changed(self, change: Any) -> None:
        if self.model_id and not self._quiet:
            self._send([change.name])

    def _send(self, names: Sequence[str]) -> None:
        if names and self.model_id:
            data, buffers = self._message(names)
            send({"kind": "widget", **data}, buffers)

    def _message(self, names: Sequence[str]) -> tuple[dict[str, Any], list[bytes]]:
        paths: list[Path] = []
        buffers: list[bytes] = []
        state = _apart({name: self._json(name) for name in names}, [], paths, buffers)
        return {"model": self.model_id, "state": state, "buffers": paths}, buffers

    def _json(self, name: str) -> Any:
        to_json = self.trait_metadata(name, "to_json")
        value = getattr(self, name)
        return to_json(value, self) if to_json else value

    def _repr_mimebundle_(self, **kwargs: Any) -> Any:
        return None  # that of a kernel

"""Widgets on a static page: picture and widget side by side, mounted without a kernel.

myst-nb would show a widget only, and embed the state of everything the notebook made, with the
widget's script and style repeated for each instance. Here every widget becomes a slot with its
picture in it, styles are a file, scripts are files that pages share, one for each class and one for
what all classes share, and of the state only what the page shows is kept. `static/mount-widgets.js`
brings the slots to life.
"""

import hashlib
import json
import re
from collections.abc import Iterable
from html import escape
from importlib import import_module
from pathlib import Path
from typing import Any

from docutils import nodes
from myst_nb.core.render import WIDGET_STATE_MIMETYPE, WIDGET_VIEW_MIMETYPE
from myst_nb.sphinx_ import NbMetadataCollector
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.errors import ExtensionError
from sphinx.transforms.post_transforms import SphinxPostTransform
from sphinx.util.typing import ExtensionMetadata
from sphinx.writers.html5 import HTML5Translator

from _ext import heights
from _ext.esbuild import minified
from _ext.typesetting import typeset
from attnutils.widgets import ThingsToTry, _base

STATIC = Path(__file__).parent / "static"
# Characters of base64: what the state of a widget holds beyond is a file beside the page.
LARGE = 25_000
# What may stand in for a widget where scripts do not run, the best first.
PICTURES = ("image/svg+xml", "image/png", "text/html", "text/plain")
REFERENCE = "IPY_MODEL_"  # begins what names another model
# The quiet corner of an explorer, which addresses.js brings to life.
SHARE = (
    '<div class="share"><input readonly hidden aria-label="To copy">'
    '<button type="button">Copy link</button><button type="button">Embed</button></div>\n'
)


class widget_slot(nodes.General, nodes.Element):
    """A place on the page: a picture, and the widget that replaces it."""


def visit_widget_slot(translator: HTML5Translator, node: widget_slot) -> None:
    names = {"data-widget": node["widget"], "data-model": node["model"]}
    if node["answer"]:  # under which it is kept that this was answered (_theme/static/progress.js)
        names["data-answer"] = node["answer"]
    if node["address"]:
        names["data-address"] = node["address"]
    place = "widget-slot stage" if node["stage"] else "widget-slot"
    translator.body.append(translator.starttag(node, "div", CLASS=place, **names))


def depart_widget_slot(translator: HTML5Translator, node: widget_slot) -> None:
    translator.body.append("</div>\n")
    if node["address"] and node.get("shared", True):
        translator.body.append(SHARE)


def script(mime_type: str, data: Any, **attributes: str) -> nodes.raw:
    """Return a script element that holds data; `<` is escaped, so no text in it can end it."""
    text = json.dumps(data, separators=(",", ":"), ensure_ascii=False).replace("<", "\\u003c")
    extra = "".join(f' {name}="{value}"' for name, value in attributes.items())
    return nodes.raw("", f'<script type="{mime_type}"{extra}>{text}</script>\n', format="html")


def typeset_formulas(formulas: Iterable[str], picture: list[nodes.Node]) -> nodes.raw:
    """Set the formulas of a picture that is HTML; return all, for the widget to clone."""
    done = {tex: typeset(tex, display=False) for tex in sorted(formulas)}
    for html in (raw for node in picture for raw in node.findall(nodes.raw)):
        for tex, formula in done.items():
            written = re.compile(f'<span data-tex="{re.escape(escape(tex))}">.*?</span>')
            html[0] = nodes.Text(written.sub(lambda _, formula=formula: formula, html.astext()))
    return nodes.raw("", f"<template>{''.join(done.values())}</template>\n", format="html")


def saved_models(env: BuildEnvironment, docname: str) -> dict[str, Any]:
    """Return the models of a page's widgets, as myst-nb has kept them to embed them."""
    files = NbMetadataCollector.get_js_files(env, docname)
    if "ipywidgets_state" not in files:
        return {}
    _, attributes = files["ipywidgets_state"]
    return json.loads(attributes["body"])["state"]


def widget_formulas(env: BuildEnvironment, docname: str) -> set[str]:
    """Return the formulas in the widgets of a page."""
    models = saved_models(env, docname).values()
    return {tex for model in models for tex in model["state"].get("formulas", ())}


class WidgetSlots(SphinxPostTransform):
    """Turn the outputs that are widgets into slots, and embed what the mounter needs."""

    default_priority = 3  # myst-nb's SelectMimeType, at 4, keeps one type of each output
    formats = ("html",)

    def run(self, **_: Any) -> None:
        scripts: dict[str, str] = {}
        styles: dict[str, str] = {}
        models: dict[str, dict[str, Any]] = {}
        names: dict[str, str] = {}
        addresses: set[str] = set()
        saved = saved_models(self.env, self.env.docname)

        for bundle in list(self.document.findall(nodes.container)):
            if bundle.get("nb_element") != "mime_bundle":
                continue
            outputs = {child["mime_type"]: child.children for child in bundle.children}
            if WIDGET_VIEW_MIMETYPE not in outputs:
                continue
            # Model ids are random; numbering them keeps two builds equal.
            model_id = self._model_id(outputs[WIDGET_VIEW_MIMETYPE])
            name = names.setdefault(model_id, f"widget-{len(names)}")
            record = saved[model_id]
            if record["model_module"] != "anywidget":
                raise self._error(f"{record['model_name']} is not an anywidget, which a page needs")
            picture = next((outputs[kind] for kind in PICTURES if kind in outputs), None)
            if picture is None:
                raise self._error(f"{record['model_name']} has no picture or text for a page")

            traits = record["state"]
            kind = traits["_anywidget_id"]
            scripts[kind], styles[kind] = self._script_and_style(kind, traits)
            models[name] = {
                "widget": kind,
                "state": {
                    # Other widgets are named as they are here.
                    key: REFERENCE + names[value.removeprefix(REFERENCE)]
                    if str(value).startswith(REFERENCE)
                    else value
                    for key, value in traits.items()
                    # Private traits name Python classes and hold the script and style.
                    if not (key.startswith("_") or key == "layout")
                },
                "buffers": record.get("buffers", []),
            }
            for image in (i for node in picture for i in node.findall(nodes.image)):
                image["loading"] = (
                    "lazy"  # hidden where the widget shows; print and failure load it
                )
            slot = widget_slot("", widget=kind.rpartition(".")[2], model=name)
            slot += nodes.container("", *picture, classes=["widget-picture"])
            slot["stage"] = stands_in(bundle, "tag_stage")  # it opens its page
            slot["answer"] = self._answer(traits)
            slot["address"] = traits.get("address", "")
            if slot["address"] in addresses:
                raise self._error(
                    f"two explorers have the address {slot['address']!r}: give one of them "
                    'another, as in AttentionExplorer(..., address="second")'
                )
            addresses |= {slot["address"]} - {""}
            slot["veil"] = traits.get("veil", False)  # for _ext/veils.py
            if formulas := traits.get("formulas"):
                slot += typeset_formulas(formulas, picture)
            slot += script(WIDGET_VIEW_MIMETYPE, {"model_id": name})
            bundle.replace_self(slot)

        if models:
            # What the widgets of attnutils start with travels once, if the page has no others.
            core = (_base.STATIC / "core.js").read_text(encoding="utf-8")
            shared = core if all(text.startswith(core) for text in scripts.values()) else ""
            own = {kind: text.removeprefix(shared) for kind, text in scripts.items()}
            own = {  # what a notebook defines stays as it wrote it
                kind: text if kind.startswith("__main__.") else minified(text, "js")
                for kind, text in own.items()
            }
            data = {"shared": minified(shared, "js"), "scripts": own, "models": models}
            self.document += script("application/json", travelling(data), id="widget-data")
            # finish_head makes files of these, which the template names in the head.
            self.document["widget_styles"] = [css for css in styles.values() if css]
            self.document["widget_data"] = data
            self.document["has_addresses"] = bool(addresses)

    def _answer(self, traits: dict[str, Any]) -> str:
        """Return the name of a question, which stays while its prompt does; empty for the rest."""
        if "veil" not in traits:
            return ""
        digest = hashlib.sha256(traits["prompt"].encode()).hexdigest()
        return f"{self.env.docname.rpartition('/')[2]}/{digest[:8]}"

    @staticmethod
    def _script_and_style(name: str, traits: dict[str, Any]) -> tuple[str, str]:
        """Return them as they are now, not as they were when the notebook ran: no output changes.

        Those of a class that the notebook itself defines are what it saved.
        """
        module, _, widget = name.rpartition(".")
        if module == "__main__":
            return traits["_esm"], traits.get("_css", "")
        found = getattr(import_module(module), widget)
        return found._esm, getattr(found, "_css", "")

    @staticmethod
    def _model_id(children: list[nodes.Node]) -> str:
        text = children[0].astext()
        return json.loads(text[text.index(">") + 1 : text.rindex("<")])["model_id"]

    def _error(self, problem: str) -> ExtensionError:
        return ExtensionError(f"{self.env.docname}: {problem}")


def large_buffers(data: dict[str, Any]) -> dict[str, str]:
    """Return the buffers of a page's models that are too large to stand in it, by file."""
    buffers = (buffer["data"] for model in data["models"].values() for buffer in model["buffers"])
    return {
        f"_static/buffer-{hashlib.sha256(text.encode()).hexdigest()[:8]}.js": text
        for text in buffers
        if len(text) > LARGE
    }


def script_files(data: dict[str, Any]) -> dict[str, str]:
    """Return the scripts of a page's widgets, by file: pages that have the same ones share them."""
    texts = filter(None, (data["shared"], *data["scripts"].values()))
    return {
        f"_static/widget-{hashlib.sha256(text.encode()).hexdigest()[:8]}.js": text for text in texts
    }


def travelling(data: dict[str, Any]) -> dict[str, Any]:
    """Return the data of a page with the names of files in the place of scripts and large buffers.

    They are scripts that say a text, which a page that was opened from a folder can load, too.
    """
    texts = {**large_buffers(data), **script_files(data)}
    files = {text: Path(name).name for name, text in texts.items()}
    models = {
        name: {
            **model,
            "buffers": [
                {"path": each["path"], "file": files[each["data"]]}
                if each["data"] in files
                else each
                for each in model["buffers"]
            ],
        }
        for name, model in data["models"].items()
    }
    scripts = {kind: {"file": files[text]} for kind, text in data["scripts"].items()}
    shared = data["shared"] and {"file": files[data["shared"]]}
    return {"shared": shared, "scripts": scripts, "models": models}


def write_texts(app: Sphinx, texts: dict[str, str]) -> None:
    """Write the files that say these texts."""
    for name, text in texts.items():
        path = Path(app.outdir, name)
        path.parent.mkdir(exist_ok=True)
        said = f"(self.widgetTexts??={{}})[{json.dumps(path.name)}]={json.dumps(text)}"
        path.write_text(said, encoding="utf-8")


def stands_in(node: nodes.Node, kind: str) -> bool:
    """Whether a node stands in one of this class, or is one."""
    while node is not None and kind not in node.get("classes", ()):
        node = node.parent
    return node is not None


def is_measured(kind: str) -> bool:
    """Whether a widget of this kind has a height that only a browser knows."""
    module, _, name = kind.rpartition(".")
    kinds = (_base.Explorer, ThingsToTry)
    return module != "__main__" and issubclass(getattr(import_module(module), name), kinds)


def add_static_folder(app: Sphinx) -> None:
    """Serve the mounter; not from `_static`, whose scripts Jupyter Book puts on every page."""
    app.config.html_static_path.append(str(STATIC))


def write_style(app: Sphinx, styles: list[str]) -> str:
    """Write the styles of a page's widgets as a file of the book; return its name.

    Within the page, the checker of its markup would read it too, which knows less CSS than
    browsers do: no container queries, for one.
    """
    text = minified("\n".join(styles), "css")
    name = f"_static/widgets-{hashlib.sha256(text.encode()).hexdigest()[:8]}.css"
    path = Path(app.outdir, name)
    path.parent.mkdir(exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return name


def finish_head(
    app: Sphinx, pagename: str, templatename: str, context: dict[str, Any], doctree: Any
) -> None:
    """Take myst-nb's copy of the widget state off the page, and put style and scripts on it."""
    context["script_files"][:] = [
        file
        for file in context["script_files"]
        if file.attributes.get("type") != WIDGET_STATE_MIMETYPE
    ]
    context["widget_style"], context["widget_scripts"] = None, []
    if doctree and (styles := doctree.get("widget_styles")):
        data = doctree["widget_data"]
        scripts = script_files(data)
        write_texts(app, {**large_buffers(data), **scripts})
        context["widget_scripts"] = [*scripts]
        measured = [name for name, model in data["models"].items() if is_measured(model["widget"])]
        stages = {slot["model"] for slot in doctree.findall(widget_slot) if slot["stage"]}
        room = [heights.room(app, data, measured, styles, stages)] if measured else []
        context["widget_style"] = write_style(app, [*styles, *room])


def add_scripts(
    app: Sphinx, pagename: str, templatename: str, context: dict[str, Any], doctree: Any
) -> None:
    """Load what reads and writes addresses where there are any."""
    if doctree and doctree.get("has_addresses"):
        app.add_js_file("addresses.js", priority=400)  # before the mounter


def setup(app: Sphinx) -> ExtensionMetadata:
    app.add_node(widget_slot, html=(visit_widget_slot, depart_widget_slot))
    app.add_post_transform(WidgetSlots)
    app.connect("builder-inited", add_static_folder)
    app.connect("html-page-context", add_scripts)
    app.connect("html-page-context", finish_head, priority=900)  # after myst-nb's
    return {"parallel_read_safe": True, "parallel_write_safe": True}

/**
 * Compile modules ahead, and list matplotlib's fonts: readers would wait for both. Pyodide does it,
 * whose Python is another one than ours.
 *
 * `node compile.mjs FOLDER` writes anew the archives of Pyodide and of its packages in the folder.
 * Of these, what a page begins with is compiled in the place of its source; the rest stays as it
 * is, for a compiled module is half as large again. `node compile.mjs FILE NAME...` writes anew an
 * archive of the book's own modules (_ext/python.py), of which it compiles those of these names.
 * They lie beside their sources, which readers may ask for.
 */
import { statSync } from "node:fs";
import { dirname, basename } from "node:path";
import { loadPyodide } from "pyodide";

const [path, ...modules] = process.argv.slice(2);
const isFolder = statSync(path).isDirectory();
const pyodide = await loadPyodide({ env: { HOME: "/home/pyodide", MPLBACKEND: "agg" } });
pyodide.mountNodeFS("/served", isFolder ? path : dirname(path));
try {
  pyodide.runPython(`
import importlib._bootstrap_external as external
import zipfile
from pathlib import Path

SITE = Path("/lib/python3.12/site-packages")


def read(path):
    with zipfile.ZipFile(path) as archive:
        return {name: archive.read(name) for name in archive.namelist() if name[-1] != "/"}


def write(path, files):
    with zipfile.ZipFile(path, "w") as archive:
        for name in sorted(files):
            entry = zipfile.ZipInfo(name)
            entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, files[name], compresslevel=9)


def compiled(data, path):
    code = compile(data, str(path), "exec", dont_inherit=True)
    return external._code_to_hash_pyc(code, bytes(8), False)
`);
  if (isFolder) {
    pyodide.runPython(`
import io
import logging
import sys

FONTS = "matplotlib/fontlist.json"
wheels = sorted(Path("/served").glob("*.whl"))

for wheel in wheels:
    for name, data in read(wheel).items():
        (SITE / name).parent.mkdir(parents=True, exist_ok=True)
        (SITE / name).write_bytes(data)
(SITE / FONTS).unlink()
sys.path_importer_cache.clear()
logging.disable()  # matplotlib says that it lists its fonts
import ast
import symtable  # of the worker and of attnutils
import matplotlib.pyplot as plt
import numpy as np
import traitlets

figure, ax = plt.subplots()
ax.imshow(np.random.default_rng(0).normal(size=(2, 2)))
figure.savefig(io.BytesIO())
used = {getattr(module, "__file__", "") for module in list(sys.modules.values())}

for path in [*wheels, Path("/served/python_stdlib.zip")]:
    files = read(path)
    root = SITE if path.suffix == ".whl" else Path("/lib/python312.zip")
    for name in [n for n in files if n.endswith(".py") and str(root / n) in used]:
        files[f"{name}c"] = compiled(files.pop(name), root / name)
    if FONTS in files:
        files[FONTS] = (SITE / FONTS).read_bytes()
    write(path, files)
`);
  } else {
    pyodide.globals.set("archive", `/served/${basename(path)}`);
    pyodide.globals.set("modules", pyodide.toPy(modules));
    pyodide.runPython(`
files = read(archive)
for module in modules:
    base = module.replace(".", "/")
    name = f"{base}.py" if f"{base}.py" in files else f"{base}/__init__.py"
    files[external.cache_from_source(name)] = compiled(files[name], SITE / name)
write(archive, files)
`);
  }
} catch (error) {
  console.error(error.message); // without the source of Pyodide, which Node would show
  process.exit(1);
}
process.exit(0);

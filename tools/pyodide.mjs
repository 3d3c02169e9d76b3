/**
 * Compile the modules that a page begins with, and list matplotlib's fonts: readers would wait for
 * both. Pyodide does it, whose Python is another one than ours. Other modules stay as they are: a
 * compiled one is half as large again.
 *
 * Run as `node pyodide.mjs FOLDER`: the archives in the folder are written anew.
 */
import { loadPyodide } from "pyodide";

const pyodide = await loadPyodide({ env: { HOME: "/home/pyodide", MPLBACKEND: "agg" } });
pyodide.mountNodeFS("/served", process.argv[2]);
try {
  pyodide.runPython(`
import importlib._bootstrap_external as external
import io
import logging
import sys
import zipfile
from pathlib import Path

SITE = Path("/lib/python3.12/site-packages")
FONTS = "matplotlib/fontlist.json"
wheels = sorted(Path("/served").glob("*.whl"))


def read(path):
    with zipfile.ZipFile(path) as archive:
        return {name: archive.read(name) for name in archive.namelist() if name[-1] != "/"}


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
        code = compile(files.pop(name), str(root / name), "exec", dont_inherit=True)
        files[f"{name}c"] = external._code_to_hash_pyc(code, bytes(8), False)
    if FONTS in files:
        files[FONTS] = (SITE / FONTS).read_bytes()
    with zipfile.ZipFile(path, "w") as archive:
        for name in sorted(files):
            entry = zipfile.ZipInfo(name)
            entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, files[name], compresslevel=9)
`);
} catch (error) {
  console.error(error.message); // without the source of Pyodide, which Node would show
  process.exit(1);
}
process.exit(0);

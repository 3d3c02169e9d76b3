/**
 * `node compile.mjs FOLDER` writes anew the archives of Pyodide and of its packages in a folder:
 * without what no page uses, and with what a page begins with compiled in the place of its source,
 * by Pyodide, whose Python is another one than ours. The rest stays as it is, for a compiled module
 * is half as large again.
 *
 * It is worth its lines: each start takes a third of the time.
 */
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { loadPyodide } from "pyodide";

// Said, not found out by itself: in a folder such as "book (1)" that fails.
const indexURL = dirname(fileURLToPath(import.meta.resolve("pyodide")));
const pyodide = await loadPyodide({ indexURL, env: { HOME: "/home/pyodide", MPLBACKEND: "agg" } });
pyodide.mountNodeFS("/served", process.argv[2]);
pyodide.runPython(`
import fnmatch, importlib._bootstrap_external, shutil, sys, zipfile
from pathlib import Path

UNUSED = [
    "*.pyi", "*.pyx", "*.pxd", "*.a", "*/include/*",  # for who compiles
    "matplotlib/mpl-data/fonts/[ap]*/*", "matplotlib/mpl-data/sample_data/*", "*/DejaVuSerif*",
]
SITE = "/lib/python3.12/site-packages"
wheels = [*Path("/served").glob("*.whl")]
for wheel in wheels:
    shutil.unpack_archive(wheel, SITE, "zip")
sys.path_importer_cache.clear()
import ast, symtable, traitlets  # of the worker and of attnutils
import matplotlib.backends.backend_svg, matplotlib.pyplot, numpy.random

FONTS = "matplotlib/fontlist.json"  # one of another version came, so it has made its own

used = {getattr(module, "__file__", "") for module in [*sys.modules.values()]}
roots = dict.fromkeys(wheels, SITE) | {Path("/served/python_stdlib.zip"): "/lib/python312.zip"}
for path, root in roots.items():
    with zipfile.ZipFile(path) as archive:
        files = {name: archive.read(name) for name in archive.namelist() if name[-1] != "/"}
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for name, data in files.items():
            if any(fnmatch.fnmatchcase(name, pattern) for pattern in UNUSED):
                continue
            if name == FONTS:
                data = Path(SITE, FONTS).read_bytes()
            if name.endswith(".py") and (place := f"{root}/{name}") in used:
                code = compile(data, place, "exec", dont_inherit=True)
                name, data = f"{name}c", importlib._bootstrap_external._code_to_hash_pyc(code, bytes(8), False)
            archive.writestr(name, data)
`);
process.exit(0); // else Node waits for Pyodide

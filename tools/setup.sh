#!/bin/sh
# Installs what the locks pin: `setup.sh` what the book needs, `setup.sh checks` also what its checks
# need. PYTHON may name the Python to use. Where all of it is there, nothing is done.
set -eu
unset CDPATH
export PIP_USER=0
cd "$(dirname "$0")/.."
kind=${1:-book} more="" scripts="--omit=dev" needed="esbuild"
if [ "$kind" = checks ]; then
    more="tests/requirements.lock" scripts="--include=dev" needed="esbuild typescript prettier axe-core @sparticuz/chromium"
fi
fits() { # runs it: a name on the path may be a stub that fails
    "$1" -c 'import sys, venv, ensurepip; exit(not (3, 11) <= sys.version_info[:2] <= (3, 14))'
}
# Ours has a file `base`; what others made is not touched.
if [ -L .venv ] || { [ -n "$(ls -A .venv 2>/dev/null)" ] && [ ! -f .venv/base ]; }; then
    echo "$PWD/.venv is a link, or not of this set-up, which would empty it: move it away" >&2
    exit 1
fi
set -- .venv/bin/python python3.13 python3.12 python3.11 python3.14 python3
if [ -n "${PYTHON:-}" ]; then set -- "$PYTHON"; fi
while [ $# -gt 0 ] && ! fits "$1" 2>/dev/null; do shift; done
if [ $# = 0 ]; then
    echo "Found no Python 3.11 to 3.14 with venv: install one, or name it, PYTHON=/path/to/python3.12" >&2
    exit 1
fi
is_there() { for name in $needed; do [ -d "book/node_modules/$name" ] || return 1; done; }
[ -x .venv/bin/python ] || rm -f .venv/book .venv/checks
base="$("$1" -V) in $PWD"
locks="requirements.lock pyproject.toml book/package-lock.json tools/setup.sh"
stamp() { echo "$base $(cat $locks $1 | cksum)"; }
if [ "$(cat ".venv/$kind" 2>/dev/null)" = "$(stamp "$more")" ] && is_there; then exit; fi
if [ "$(cat .venv/base 2>/dev/null)" != "$base" ] || [ ! -x .venv/bin/python ]; then
    echo "Set-up: .venv, $("$1" -V)"
    python=$("$1" -c 'import sys; print(sys._base_executable)') # it may be that of .venv
    rm -rf .venv
    mkdir .venv
    : >.venv/base
    "$python" -m venv .venv
    awk '/^[^ ]/ { wanted = /^uv==/ } wanted' requirements.lock >.venv/uv.lock
    .venv/bin/python -m pip install -q --disable-pip-version-check --require-hashes -r .venv/uv.lock
    echo "$base" >.venv/base
fi
rm -f .venv/book .venv/checks
echo "Set-up: packages for Python, requirements.lock $more"
index=$(.venv/bin/python -m pip config get global.index-url 2>/dev/null || true) # uv asks no pip
export UV_DEFAULT_INDEX="${UV_DEFAULT_INDEX:-${PIP_INDEX_URL:-$index}}"
.venv/bin/uv pip sync -q --python .venv/bin/python --require-hashes requirements.lock $more
.venv/bin/uv pip install -q --python .venv/bin/python --no-deps --no-build-isolation -e .
echo "Set-up: packages for JavaScript, book/package-lock.json"
.venv/bin/npm ci --prefix book --loglevel=error $scripts
MPLCONFIGDIR=.venv/matplotlib .venv/bin/python -c "import matplotlib.font_manager" # its list of fonts
if ! is_there; then
    echo "npm left out one of: $needed. Is there a setting of npm that omits packages?" >&2
    exit 1
fi
stamp "" >.venv/book
if [ -n "$more" ]; then stamp "$more" >.venv/checks; fi

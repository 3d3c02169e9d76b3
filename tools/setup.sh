#!/bin/sh
# Finds a supported Python and makes the environment with it. Usage: tools/setup.sh [python]
# Only what every POSIX shell knows: this runs before anything is installed.
set -eu
cd "$(dirname "$0")/.."

supported() {
    # Run it: a name on the path may be a stub that fails.
    "$1" -c 'import sys, venv, ensurepip; sys.exit(not (3, 11) <= sys.version_info[:2] <= (3, 13))' \
        >/dev/null 2>&1
}

if [ -n "${1:-}" ]; then
    if supported "$1"; then
        exec "$1" tools/setup.py
    fi
    echo "$1 cannot be used: the book needs Python 3.11, 3.12 or 3.13 with its venv module." >&2
    exit 1
fi

for python in .venv/bin/python python3.13 python3.12 python3.11 python3; do
    if supported "$python"; then
        exec "$python" tools/setup.py
    fi
done
echo "No Python 3.11, 3.12 or 3.13 with its venv module was found: install one, or name it (make book PYTHON=/path/to/python3.12)." >&2
exit 1

#!/bin/sh
# Make a virtual environment from the first Python >= 3.11 that is found: sh dev/make_venv.sh FOLDER
set -eu
folder=$1

for candidate in python3 python3.14 python3.13 python3.12 python3.11; do
  if "$candidate" -c 'import sys; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1; then
    python=$candidate
    break
  fi
done
if [ -z "${python:-}" ]; then
  echo "error: skilldelta needs Python 3.11 or newer, and none was found on PATH (python3, python3.14 … python3.11)" >&2
  echo "  fix: install it, for example: apt-get install python3 python3-venv" >&2
  exit 2
fi

# Debian ships Python without the parts that make an environment.
if ! "$python" -c 'import ensurepip, venv' >/dev/null 2>&1; then
  version=$("$python" -c 'import sys; print("{}.{}".format(*sys.version_info))')
  install="apt-get install -y --no-install-recommends python3-venv"
  if [ "$(id -u)" -eq 0 ] && command -v apt-get >/dev/null 2>&1; then
    echo "installing python3-venv" >&2
    { apt-get update -q && $install; } >&2
  fi
  if ! "$python" -c 'import ensurepip, venv' >/dev/null 2>&1; then
    echo "error: $python ($version) cannot make virtual environments: its venv module is not installed" >&2
    echo "  fix: run as root: $install" >&2
    exit 2
  fi
fi

echo "making $folder with $("$python" --version)" >&2
rm -rf "$folder"
trap 'rm -rf "$folder"' EXIT
trap 'exit 130' INT TERM
"$python" -m venv "$folder"
trap - EXIT

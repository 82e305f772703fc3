"""What a child process of the embedded model may see of our environment: a short list of names, never a secret."""

from __future__ import annotations

import os
from pathlib import Path

_SYSTEM = ("PATH", "HOME", "TMPDIR", "LANG", "TZ", "LD_LIBRARY_PATH", "PYTHONHOME", "VIRTUAL_ENV")
_DOWNLOAD = ("NETRC", "SSL_CERT_FILE", "SSL_CERT_DIR", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE")


def server_environment() -> dict[str, str]:
    """Return the environment of the model server: system names, and where this very package is imported from."""
    package_root = Path(__file__).resolve().parents[2]
    paths = [str(package_root), *os.environ.get("PYTHONPATH", "").split(os.pathsep)]
    return {
        **_kept(_SYSTEM, prefixes=("LC_",)),
        "PYTHONPATH": os.pathsep.join(path for path in paths if os.path.isabs(path)),  # noqa: PTH117 - plain strings
        "PYTHONUNBUFFERED": "1",
        # OpenMP's default is to spin while it waits: beside any other busy process that costs up to fifty times.
        "GOMP_SPINCOUNT": "1000",
    }


def download_environment() -> dict[str, str]:
    """Return the environment of pip: its own settings, proxies and certificates beside the system names."""
    proxies = tuple(name for name in os.environ if name.lower().endswith("_proxy"))
    return _kept((*_SYSTEM, *_DOWNLOAD, *proxies), prefixes=("LC_", "PIP_", "XDG_"))


def package_manager_environment() -> dict[str, str]:
    """Return the environment of apt-get, which must not ask questions."""
    proxies = tuple(name for name in os.environ if name.lower().endswith("_proxy"))
    return {**_kept((*_SYSTEM, *proxies), prefixes=("LC_",)), "DEBIAN_FRONTEND": "noninteractive"}


def _kept(names: tuple[str, ...], *, prefixes: tuple[str, ...]) -> dict[str, str]:
    return {name: value for name, value in os.environ.items() if name in names or name.startswith(prefixes)}

#!/usr/bin/env bash
# Known vulnerabilities of the locked packages. Called by `make audit`.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

database=https://api.osv.dev/v1/vulns/PYSEC-2021-1
if ! python3 -c "import urllib.request as u; u.urlopen('$database', timeout=10)" 2>/dev/null; then
  echo "The audit was skipped: OSV's database cannot be reached from here"
  exit 0
fi
# Apart from .venv: it is no tool of the workspace, and brings many packages.
tool=.venv/audit
[ -x "$tool/bin/pip-audit" ] || {
  python3 -m venv "$tool"
  "$tool/bin/python" -m pip install -q --disable-pip-version-check pip-audit==2.10.1
}
exec "$tool/bin/pip-audit" --vulnerability-service osv --disable-pip --require-hashes \
  --requirement requirements/lock.txt

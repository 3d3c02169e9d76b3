"""Rules of the repository that nothing else would notice broken."""

import json
import os
import re

import yaml

from tools.project import ROOT


def text(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


def test_actions_are_pinned_by_commit():
    for path in (ROOT / ".github" / "workflows").glob("*.yml"):
        uses = re.findall(r"uses:\s*(.+)", path.read_text(encoding="utf-8"))
        assert uses
        for action in uses:
            assert re.fullmatch(r"[\w./-]+@[0-9a-f]{40} # v[\d.]+", action), action


def test_workflows_may_only_read():
    for path in (ROOT / ".github" / "workflows").glob("*.yml"):
        workflow = yaml.safe_load(path.read_text(encoding="utf-8"))
        assert workflow["permissions"] == {"contents": "read"}
        assert all("permissions" not in job for job in workflow["jobs"].values())


def test_continuous_integration_runs_the_readmes_command():
    assert os.access(ROOT / ".ci" / "run", os.X_OK)
    assert text(".ci/run").rstrip().endswith("make test")
    assert ".ci/run" in text(".github/workflows/check.yml")


def test_npm_packages_are_exact_and_the_lock_names_no_registry():
    package, lock = json.loads(text("package.json")), json.loads(text("package-lock.json"))
    wanted = {**package["dependencies"], **package["devDependencies"]}
    for name, version in wanted.items():
        assert re.fullmatch(r"\d+\.\d+\.\d+", version), name
        assert lock["packages"][f"node_modules/{name}"]["version"] == version
    for name, locked in lock["packages"].items():
        assert "resolved" not in locked, name
        assert not name or locked["integrity"].startswith("sha512-"), name


def test_pip_packages_are_locked_by_hash_and_the_lock_names_no_registry():
    lock = text("requirements.lock")
    entries = re.split(r"\n(?=[a-z])", re.sub(r"(?m)^\s*#.*\n", "", lock).strip())
    assert len(entries) > 50
    for entry in entries:
        assert re.match(r"[a-z0-9._-]+(\[[a-z]+\])?==\S+", entry), entry
        assert "--hash=sha256:" in entry, entry
    assert "://" not in re.sub(r"#.*", "", lock)
    assert "index-url" not in lock


def test_direct_dependencies_are_locked():
    names = re.findall(r"(?m)^([a-z][a-z0-9._-]*)", text("requirements.txt"))
    locked = set(re.findall(r"(?m)^([a-z0-9._-]+)(?:\[[a-z]+\])?==", text("requirements.lock")))
    assert set(names) <= locked

"""Rules of the repository that nothing else would notice broken."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
import yaml
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from tools.project import ROOT


def text(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


WORKFLOWS = sorted((ROOT / ".github" / "workflows").iterdir())
READ = {"contents": "read"}
# What each job may do beyond its workflow's permissions; only one may write to the repository.
PERMISSIONS = {
    "audit.yml": (READ, {}),
    "check.yml": (READ, {}),
    "publish.yml": (
        {},
        {
            "check": READ,
            "launch": {"contents": "write"},
            "build": READ,
            "deploy": {"pages": "write", "id-token": "write"},
        },
    ),
}


def jobs(name: str) -> dict[str, dict]:
    return yaml.safe_load(text(f".github/workflows/{name}"))["jobs"]


def test_actions_are_pinned_by_commit():
    for path in WORKFLOWS:
        uses = re.findall(r"uses:\s*(.+)", path.read_text(encoding="utf-8"))
        assert uses
        for action in uses:
            # $/ is this repository at the commit that runs.
            pinned = r"[\w./-]+@[0-9a-f]{40} # v[\d.]+|\$/\.github/workflows/check\.yml"
            assert re.fullmatch(pinned, action), action


def test_each_job_may_do_what_it_needs_and_no_more():
    assert {path.name for path in WORKFLOWS} == set(PERMISSIONS)
    for path in WORKFLOWS:
        workflow = yaml.safe_load(path.read_text(encoding="utf-8"))
        given = {
            name: job["permissions"]
            for name, job in workflow["jobs"].items()
            if "permissions" in job
        }
        assert (workflow["permissions"], given) == PERMISSIONS[path.name]


def test_the_job_that_may_write_runs_two_scripts_and_installs_nothing():
    checkout, address, publish = jobs("publish.yml")["launch"]["steps"]
    assert checkout["uses"].startswith("actions/checkout@")
    assert address == {
        "run": 'python3 -m tools.address "$GITHUB_SERVER_URL/$GITHUB_REPOSITORY"',
    }
    assert publish["run"].splitlines() == [
        "commit=$(python3 -m tools.publish)",
        'echo "commit=$commit" >> "$GITHUB_OUTPUT"',
    ]


def test_the_token_is_given_to_one_step_alone():
    with_token = [
        step
        for path in WORKFLOWS
        for job in jobs(path.name).values()
        for step in job.get("steps", [])
        if "github.token" in str(step) or "secrets." in str(step)
    ]
    assert with_token == [jobs("publish.yml")["launch"]["steps"][-1]]
    for path in WORKFLOWS:
        for job in jobs(path.name).values():
            for step in job.get("steps", []):
                if step.get("uses", "").startswith("actions/checkout@"):
                    assert step["with"]["persist-credentials"] is False


@pytest.mark.parametrize("script", ["address", "publish"])
def test_what_the_job_that_may_write_runs_needs_the_standard_library_alone(script):
    # -S leaves the installed packages out, -E the variables that could name more.
    code = f"import tools.{script}"
    subprocess.run([sys.executable, "-S", "-E", "-c", code], cwd=ROOT, check=True)


def test_nothing_is_put_into_commands_of_workflows_but_by_the_shell():
    for path in WORKFLOWS:
        for job in jobs(path.name).values():
            for step in job.get("steps", []):
                assert "${{" not in step.get("run", "")


def test_workflows_have_no_known_weakness():
    zizmor = Path(sys.executable).parent / "zizmor"
    command = [zizmor, "--offline", "--quiet", "--strict-collection", "--persona=auditor"]
    result = subprocess.run(
        [*command, "--no-ignores", ".github"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert result.returncode == 0, result.stdout + result.stderr


def test_workflows_are_valid():
    checker = Path(sys.executable).parent / "check-jsonschema"
    command = [checker, "--builtin-schema", "vendor.github-workflows", *WORKFLOWS]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stdout + result.stderr


def test_a_push_to_main_is_checked_once():
    # PyYAML reads the key `on` as true.
    events = {path.name: yaml.safe_load(path.read_text())[True] for path in WORKFLOWS}
    pushes = [name for name, when in events.items() if "push" in when]
    # The audit looks on: nothing waits for it.
    assert pushes == ["audit.yml", "publish.yml"]
    assert events["publish.yml"]["push"] == {"branches": ["main"]}
    assert "workflow_call" in events["check.yml"]
    assert jobs("publish.yml")["check"]["uses"] == "$/.github/workflows/check.yml"
    # Nothing is published that was not checked.
    needs = {name: job.get("needs") for name, job in jobs("publish.yml").items()}
    assert needs == {"check": None, "launch": "check", "build": "launch", "deploy": "build"}


def test_continuous_integration_runs_each_target_of_tests():
    targets = set(jobs("check.yml")["slow"]["strategy"]["matrix"]["target"])
    # test-oldest needs a Python that the runner does not have on its path.
    written = set(re.findall(r"(?m)^(test-\w+):", text("Makefile"))) - {"test-oldest"}
    assert targets == written


def test_continuous_integration_runs_the_readmes_command():
    assert os.access(ROOT / ".ci" / "run", os.X_OK)
    assert text(".ci/run").rstrip().endswith("make test")
    assert ".ci/run" in text(".github/workflows/check.yml")


def test_the_exhaustive_tests_run_nightly_and_before_a_publication():
    # PyYAML reads the key `on` as true.
    assert yaml.safe_load(text(".github/workflows/check.yml"))[True]["schedule"]
    (step,) = [step for step in jobs("check.yml")["test"]["steps"] if ".ci/run" in str(step)]
    # publish.yml calls this on a push.
    wanted = "${{ github.event_name == 'pull_request' && '0' || '1' }}"
    assert step["env"]["EXHAUSTIVE"] == wanted


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


def test_direct_dependencies_are_locked_at_versions_in_their_ranges():
    lines = re.sub(r"(?m)\s*#.*$", "", text("requirements.txt")).split("\n")
    wanted = [Requirement(line) for line in lines if line]
    assert len(wanted) > 20
    # A package may have several versions, each for some platforms.
    locked: dict[str, list[str]] = {}
    for line in re.findall(r"(?m)^[a-z0-9].*==.*?(?= \\$)", text("requirements.lock")):
        pin = Requirement(line)
        (specifier,) = pin.specifier
        locked.setdefault(canonicalize_name(pin.name), []).append(specifier.version)
    for requirement in wanted:
        versions = locked.get(canonicalize_name(requirement.name), [])
        assert versions, f"{requirement} is not locked"
        for version in versions:
            assert requirement.specifier.contains(version), f"{requirement} is locked at {version}"

"""What every Python test here shares: the binary under test, and what counts as done."""

import os
import pathlib

import pytest

REPOSITORY = pathlib.Path(__file__).parent.parent


def pytest_addoption(parser):
    parser.addoption("--no-skips", action="store_true", help="a test that is skipped counts as failed")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item, call):
    report = yield
    if report.skipped and item.config.getoption("--no-skips"):
        report.outcome = "failed"
        report.longrepr = f"{item.nodeid} was skipped: {report.longrepr[2]}"
    return report


@pytest.fixture(scope="session")
def binary():
    """The vramlens under test: $VRAMLENS_BIN, else what `cargo build` made last."""
    target = pathlib.Path(os.environ.get("CARGO_TARGET_DIR", REPOSITORY / "target"))
    path = pathlib.Path(os.environ.get("VRAMLENS_BIN", target / "debug" / "vramlens"))
    assert path.is_file(), f"{path} is missing: run `cargo build`, or set VRAMLENS_BIN"
    return path.absolute()


@pytest.fixture(scope="session")
def repository():
    """The root of the working tree."""
    return REPOSITORY

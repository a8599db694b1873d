"""Laws of the commands that make, list and revoke tokens in a store that is not in use."""

import re

import pytest
from click.testing import CliRunner

from discreet.cli import main
from discreet.collector.store.opening import open_store
from discreet.collector.store.protocol import StoredCollection
from discreet.collector.tokens import is_token


@pytest.fixture
def serve(tmp_path):
    """`discreet serve` about one store, with flags."""
    return lambda *flags: CliRunner().invoke(main, ["serve", "--store", str(tmp_path / "store.db"), *flags])


@pytest.fixture
def good(tmp_path):
    """Whether a token is good for a role and a collection."""

    def ask(role, collection, token):
        store = open_store(tmp_path / "store.db")
        try:
            return is_token(store, role, collection, token)
        finally:
            store.shut()

    return ask


def test_tokens_are_made_listed_and_revoked(serve, good, tmp_path):
    store = open_store(tmp_path / "store.db")
    store.create(StoredCollection("c1", "{}", "no law"), day="2026-01-05")
    store.shut()
    made = {}
    for flags in (["alice", "--role", "analyst", "--collection", "c1"], ["bob", "--role", "admin"]):
        done = serve("--new-token", *flags)
        assert done.exit_code == 0, done.stderr
        made[flags[0]] = re.search(r"shown this once: (\S+)", done.stdout)[1]
    monitor = re.search(r"discreet-metrics-\S+", serve("--rotate", "metrics").stdout)[0]
    assert good("analyst", "c1", made["alice"])
    assert not good("analyst", "c2", made["alice"])
    assert not good("analyst", None, made["alice"])
    assert good("admin", None, made["bob"])
    assert good("metrics", None, monitor)
    listed = serve("--tokens").stdout
    assert re.fullmatch(
        r"alice: analyst of c1, made on [0-9-]{10}\nbob: admin of all collections, made on [0-9-]{10}\n", listed
    )
    assert serve("--revoke", "alice").exit_code == 0
    assert not good("analyst", "c1", made["alice"])
    assert serve("--tokens").stdout.startswith("bob: ")
    content = b"".join(path.read_bytes() for path in tmp_path.iterdir())
    assert not any(token[-64:].encode() in content for token in [*made.values(), monitor])
    assert serve("--check").exit_code == 0


@pytest.mark.parametrize(
    ("flags", "said"),
    [
        (["--new-token", "alice"], "--new-token needs --role"),
        (["--role", "admin"], "--new-token needs --role"),
        (["--collection", "c1"], "--new-token needs --role"),
        (["--new-token", "Alice", "--role", "admin"], "name='Alice'"),
        (["--new-token", "alice", "--role", "admin", "--collection", "c1"], "collection='c1'"),
        (["--revoke", "alice"], "name='alice'"),
        (["--tokens", "--revoke", "alice"], "one at a time"),
    ],
)
def test_bad_flags_are_said_in_one_line(serve, flags, said):
    done = serve(*flags)
    assert done.exit_code == 2
    assert said in done.stderr
    assert done.stderr.count("\n") == 1

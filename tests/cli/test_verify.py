from __future__ import annotations

import json

import pytest

from discreet.wire import Spec

FORMS = {
    "uniform": '[domain]\nsize = 1000\n[context]\nform = "uniform"\nepsilon = 0.5\n',
    "blocks": '[domain]\nsize = 6\n[context]\nform = "blocks"\nsizes = [3, 1, 2]\nepsilons = ["1", "0.5", "2"]\n',
    "high_low": '[domain]\nsize = 6\n[context]\nform = "high_low"\nsensitive = [1, 4]\nepsilon = 1\n',
    "binary": '[domain]\nvalues = ["no", "yes"]\n[context]\nform = "binary"\nepsilon = ["inf", "1"]\n',
    "metric": '[domain]\nsize = 3\n[context]\nform = "metric"\npoints = [[0], [1], [3]]\nepsilon = 1\n',
    "matrix": '[domain]\nsize = 2\n[context]\nform = "matrix"\nE = [["0", "inf"], ["inf", "0"]]\n',
}
KEYS = ["ok", "mechanism", "claimed", "realised", "gap", "tightest", "outputs", "fingerprint"]


@pytest.mark.parametrize("form", FORMS)
def test_every_form_prints_its_certificate(form, discreet, folder):
    (folder / "spec.toml").write_text(FORMS[form])
    told = json.loads(discreet("verify", "spec.toml", "--json").stdout)
    assert list(told) == KEYS
    assert told["ok"] is True
    assert told["fingerprint"] == Spec.read("spec.toml").mechanism.fingerprint
    if told["claimed"] is not None:
        assert 0 <= told["gap"] <= 1e-8
        assert told["realised"] == pytest.approx(told["claimed"] - told["gap"], abs=1e-15)
    lines = dict(line.split(maxsplit=1) for line in discreet("verify", "spec.toml").stdout.splitlines())
    assert {"tightest", "claimed", "realised", "gap", "outputs", "fingerprint", "ok"} <= set(lines)
    assert lines["tightest"] == f"{told['tightest']['x']!r} against {told['tightest']['z']!r}"


def test_a_table_that_leaks_is_refused(refused, discreet, folder):
    (folder / "leak.toml").write_text(
        '[domain]\nsize = 2\n[context]\nform = "uniform"\nepsilon = 1\n'
        '[mechanism]\nname = "table"\nrows = [["0.8", "0.2"], ["0.2", "0.8"]]\n'
    )
    message = refused("verify", "leak.toml")
    assert message.startswith("leak.toml: table: 0 against 1 leaks 1.386")
    assert message.endswith("more than the 1 that E allows")
    done = discreet("verify", "leak.toml", "--json")
    assert done.exit_code == 2
    assert json.loads(done.stdout) == {"ok": False, "reason": message}


BAD = {
    "a missing file": ("none.toml", None, "none.toml: No such file or directory"),
    "another suffix": ("spec.yaml", "", "spec.yaml: a spec must be a .toml or a .json file"),
    "a wrong epsilon": (
        "spec.toml",
        '[domain]\nsize = 2\n[context]\nform = "uniform"\nepsilon = -0.5\n',
        "spec.toml: epsilon='-0.5' must be a non-negative decimal or \"inf\"",
    ),
    "an extra entry": (
        "spec.toml",
        '[domain]\nsize = 2\n[context]\nform = "uniform"\nepsilon = 1\nepsilom = 2\n',
        "spec.toml: context.epsilom is not a known entry; the entries are epsilon, form",
    ),
    "a missing domain file": (
        "spec.toml",
        '[domain]\nfile = "cells.csv"\ncolumn = "cell"\n[context]\nform = "uniform"\nepsilon = 1\n',
        "spec.toml: domain.file='cells.csv' must name a file beside the spec; there is none",
    ),
}


@pytest.mark.parametrize(("name", "text", "message"), BAD.values(), ids=BAD.keys())
def test_a_bad_spec_is_one_line(name, text, message, refused, folder):
    if text is not None:
        (folder / name).write_text(text)
    assert refused("verify", name) == message


def test_many_outputs_are_told_as_a_power(discreet, folder):
    (folder / "wide.toml").write_text(
        '[domain]\nsize = 20000\n[context]\nform = "uniform"\nepsilon = 1\n[mechanism]\nname = "unary"\n'
    )
    assert "outputs      at most 2**20000\n" in discreet("verify", "wide.toml").stdout
    assert json.loads(discreet("verify", "wide.toml", "--json").stdout)["outputs"] == "at most 2**20000"


@pytest.mark.parametrize(("points", "warned"), [("[1, 1]", True), ("[1, 2]", False)])
def test_a_promise_that_leaves_nothing_to_learn_is_said_to(points, warned, discreet, folder):
    (folder / "spec.toml").write_text(
        f'[domain]\nvalues = ["x", "y"]\n[context]\nform = "metric"\nepsilon = 1\npoints = {points}\n'
    )
    said = discreet("verify", "spec.toml", "--json")
    assert ("no number of reports will tell their shares apart" in said.stderr) is warned
    assert json.loads(said.stdout)["ok"] is True

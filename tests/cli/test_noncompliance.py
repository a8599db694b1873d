"""`discreet noncompliance` for one survey and for two arms."""

import json
from pathlib import Path

import pytest

SPEC = '[domain]\nvalues = ["no", "yes"]\n[mechanism]\nname = "{}"\n{}\n'


@pytest.fixture
def arms(folder, discreet):
    """Two arms on paper, of 400 and 600 people."""
    Path("one.toml").write_text(SPEC.format("warner", 'p = "0.7"'))
    Path("two.toml").write_text(SPEC.format("forced_response", 'truth = "3/4"'))
    for name, yes, n in (("one", 180, 400), ("two", 240, 600)):
        Path(f"{name}.csv").write_text("report\n" + "yes\n" * yes + "no\n" * (n - yes))
        assert discreet("tally", f"{name}.toml", f"{name}.csv", "--unmarked", "-o", f"{name}.json").exit_code == 0
    return folder


def test_one_survey(arms, discreet):
    asked = ["noncompliance", "one.toml", "one.json", "--report", "no", "--event", "yes", "--threshold", "0.5"]
    found = json.loads(discreet(*asked, "--share", "0.1", "--json").stdout)
    assert found["evading"] == [0.1]
    assert found["value"] == pytest.approx(0.375)
    assert found["moved"] == pytest.approx(-0.75)
    assert found["estimate"] == pytest.approx([(0.375 + 0.075) / 0.9])
    assert found["tipping"]["like others"][0] == pytest.approx((0.375 - 0.5) / (-0.75 - 0.5))
    assert "send the report 'no'" in discreet(*asked).stdout
    claimed = discreet("noncompliance", "one.toml", "one.json", "--to", "no").stdout
    assert "claim 'no'" in claimed


def test_two_arms(arms, discreet):
    second = ["--second", "two.toml", "two.json"]
    found = json.loads(discreet("noncompliance", "one.toml", "one.json", "--report", "no", *second, "--json").stdout)
    moved = -0.75, -1 / 6
    shares = 0.375, (0.4 - 0.125) / 0.75
    assert found["share"] == pytest.approx((shares[0] - shares[1]) / (moved[0] - moved[1]))
    assert found["of"] == ["(evading)", "no", "yes"]


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ([], "one of to="),
        (["--to", "maybe"], "value='maybe'"),
        (["--report", "maybe"], "report must be one of 'no', 'yes'"),
        (["--report", "no"], "query must be given"),
        (["--to", "no", "--share", "2"], "share=2.0"),
        (["--report", "no", "--share", "0.1", "--second", "two.toml", "two.json"], "--second measures the share"),
    ],
)
def test_what_is_refused(arms, refused, more, said):
    assert said in refused("noncompliance", "one.toml", "one.json", *more)

from __future__ import annotations

import json

import pytest

import discreet as dc

AUTO = '[domain]\nsize = 100\n[context]\nform = "blocks"\nsizes = [30, 30, 40]\nepsilon = "1"\n'


@pytest.fixture
def auto(folder):
    (folder / "auto.toml").write_text(AUTO)
    return "auto.toml"


def test_the_table_stands_beside_no_privacy_and_classical_privacy(discreet, auto):
    told = discreet("plan", auto, "--n", 10_000).stdout
    assert "n = 10,000" in told
    assert [line.split("  ")[0] for line in told.splitlines()[2:5]] == ["no privacy", "classical", "this context"]


def test_json_holds_what_others_rely_on(discreet, auto):
    told = json.loads(discreet("plan", auto, "--n", 10_000, "--json").stdout)
    keys = {"mechanism", "bits", "total_squared_error", "tv", "stderr", "users_needed", "candidates"}
    assert keys <= set(told)
    context = dc.Context.blocks({"a": range(30), "b": range(30, 60), "c": range(60, 100)}, "1")
    assert told["total_squared_error"] == pytest.approx(dc.plan(context, n=10_000).expected.total_squared_error)
    assert told["users_needed"] is None


@pytest.mark.parametrize("target", ["--tv", "--stderr"])
def test_a_target_gives_the_users_it_needs(discreet, auto, target):
    told = json.loads(discreet("plan", auto, target, 0.01, "--json").stdout)
    assert told["n"] == told["users_needed"] > 1000
    assert f"needs {told['users_needed']:,} users" in discreet("plan", auto, target, 0.01).stdout


def test_a_named_mechanism_is_the_one_planned_for(discreet):
    told = json.loads(discreet("plan", "survey.toml", "--n", 100, "--json").stdout)
    assert told["mechanism"] == "blocks(hadamard)"
    assert len(told["candidates"]) == 1


def test_candidates_are_compared(discreet, auto):
    told = discreet("plan", auto, "--n", 10_000, "--candidates").stdout
    assert "influence" in told
    assert "least expected squared error" in told


def test_a_prior_may_come_as_a_list_or_by_value(discreet, folder):
    (folder / "list.json").write_text("[0.6, 0.1, 0.1, 0.1, 0.1]")
    (folder / "named.json").write_text('{"n1": 0.6, "n2": 0.1, "n3": 0.1, "s1": 0.1, "s2": 0.1}')
    one, two = (
        json.loads(discreet("plan", "survey.toml", "--n", 100, "--prior", name, "--json").stdout)
        for name in ("list.json", "named.json")
    )
    assert one == two
    assert one != json.loads(discreet("plan", "survey.toml", "--n", 100, "--json").stdout)


def test_the_picture_is_drawn(discreet, auto, folder):
    assert discreet("plan", auto, "--n", 10_000, "--plot", "plan.png").exit_code == 0
    assert (folder / "plan.png").read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "plan needs exactly one of n, tv, stderr, difference and slope"),
        (["--n", "10", "--tv", "0.1"], "plan needs exactly one of n, tv, stderr, difference and slope"),
        (["--tv", "2"], "tv=2.0 must be between 0 and 1"),
        (["--n", "10", "--prior", "bad.json"], "bad.json: this is not JSON"),
        (["--n", "10", "--prior", "text.json"], "text.json: must be a list of shares"),
        (["--n", "10", "--prior", "stranger.json"], "value='x' must be one of"),
        (["--n", "10", "--prior", "short.json"], "prior must be 5 non-negative shares"),
        (["--n", "0"], "Invalid value for '--n'"),
    ],
)
def test_bad_requests_end_in_one_line(refused, folder, arguments, message):
    (folder / "bad.json").write_text("[0.1,")
    (folder / "text.json").write_text('"half"')
    (folder / "stranger.json").write_text('{"x": 1}')
    (folder / "short.json").write_text("[0.5, 0.5]")
    assert message in refused("plan", "survey.toml", *arguments)


def test_bits_and_prior_of_the_spec_hold_for_its_plan(discreet, folder):
    head = '[domain]\nsize = 1000\n[context]\nform = "uniform"\nepsilon = "3"\n[mechanism]\nname = "auto"\n'
    (folder / "short.toml").write_text(head + "bits = 10\n")
    assert json.loads(discreet("plan", "short.toml", "--n", 1000, "--json").stdout)["bits"] == 10
    values = '[domain]\nvalues = ["a", "b", "c"]\n[context]\nform = "high_low"\nsensitive = ["a"]\nepsilon = "1"\n'
    (folder / "listed.toml").write_text(values + '[mechanism]\nname = "auto"\nprior = [0.5, 0.25, "1/4"]\n')
    (folder / "named.toml").write_text(values + "[mechanism.prior]\na = 0.5\nb = 0.25\nc = 0.25\n")
    context = dc.Context.high_low(["a", "b", "c"], ["a"], "1")
    expected = dc.plan(context, n=100, prior=[0.5, 0.25, 0.25]).expected.total_squared_error
    for name in ("listed.toml", "named.toml"):
        told = json.loads(discreet("plan", name, "--n", 100, "--json").stdout)
        assert told["total_squared_error"] == pytest.approx(expected)


def test_a_plan_says_which_shares_it_assumes(discreet, auto, folder):
    (folder / "prior.json").write_text(json.dumps([0.02] * 50 + [0] * 50))
    even, given = (discreet("plan", auto, "--n", 1000, *more).stdout for more in ([], ["--prior", "prior.json"]))
    assert "Errors are those to expect at even shares; a prior assumes others." in even
    assert "Errors are those to expect at the given shares." in given
    assert json.loads(discreet("plan", auto, "--n", 1000, "--json").stdout)["assumed"] == "even shares"
    assert "even ones unless given" in " ".join(discreet("plan", "--help").stdout.split())


def test_the_smallest_share_that_can_be_seen_is_called_detectable(discreet, auto):
    lines = discreet("plan", auto, "--n", 1000).stdout.splitlines()
    assert lines[1].split()[-2:] == ["detectable", "guess"]
    found = json.loads(discreet("plan", auto, "--n", 1000, "--json").stdout)["detectable"]
    assert float(lines[4].split()[-2]) == pytest.approx(found, rel=1e-2)


def test_two_answers_for_one_total_variation_are_explained(discreet, auto):
    line = "For one TV `discreet bounds` names more people than `discreet plan`: "
    planned, bounded = discreet("plan", auto, "--tv", 0.1), discreet("bounds", auto, "--n", 100, "--tv", 0.1)
    assert line in planned.stdout
    assert line in bounded.stdout
    assert line not in discreet("plan", auto, "--n", 1000).stdout
    assert line not in discreet("bounds", auto, "--n", 1000).stdout
    needed = [
        json.loads(discreet("plan", auto, "--tv", 0.1, "--json").stdout)["users_needed"],
        json.loads(discreet("bounds", auto, "--n", 100, "--tv", 0.1, "--json").stdout)["users"]["attained"],
    ]
    assert needed[0] < needed[1]


def test_a_prior_file_is_about_the_mechanism_that_other_commands_use(discreet, folder):
    head = '[domain]\nsize = 12\n[context]\nform = "high_low"\nsensitive = {from = 0, to = 8}\nepsilon = 2\n'
    (folder / "ill.toml").write_text(head)
    (folder / "rare.json").write_text(json.dumps([0.0001] * 9 + [0.3331, 0.333, 0.333]))
    used = json.loads(discreet("verify", "ill.toml", "--json").stdout)
    told = discreet("plan", "ill.toml", "--n", 1000, "--prior", "rare.json")
    found = json.loads(discreet("plan", "ill.toml", "--n", 1000, "--prior", "rare.json", "--json").stdout)
    assert found["mechanism"] == used["mechanism"]
    errors = [row["n_total_squared_error"] for row in found["candidates"]]
    assert errors[0] == pytest.approx(1000 * found["total_squared_error"])
    assert min(errors) < errors[0], "the control: at these shares another one would do better"
    assert "would have less error" in told.stdout
    assert "would have less error" not in discreet("plan", "ill.toml", "--n", 1000).stdout


LINE = '[domain]\nsize = 12\n[context]\nform = "metric"\nepsilon = "1"\npoints = [{}]\n'.format(
    ", ".join(str(x) for x in range(12))
)


def test_queries_and_the_worst_case_are_planned_for(discreet, folder):
    (folder / "line.toml").write_text(LINE)
    (folder / "chosen.toml").write_text(LINE + '[mechanism]\nquery = "mean"\n')
    (folder / "ends.json").write_text('{"0": 1, "11": -1}')
    told = json.loads(discreet("plan", "line.toml", "--n", 100, "--query", "mean", "--json").stdout)
    assert told == json.loads(discreet("plan", "chosen.toml", "--n", 100, "--json").stdout)
    assert told["objective"] == "mean"
    context = dc.Context.metric(range(12), lambda x, z: abs(x - z), "1")
    assert told["query_stderr"] == pytest.approx(dc.plan(context, n=100, query="mean").expected.targets[0][1])
    ends = json.loads(discreet("plan", "line.toml", "--n", 100, "--query", "ends.json", "--json").stdout)
    assert ends["query_stderr"] == pytest.approx(dc.plan(context, n=100, query={0: 1, 11: -1}).expected.targets[0][1])
    both = json.loads(
        discreet("plan", "line.toml", "--n", 100, "--query", "mean", "--query", "cumulative", "--json").stdout
    )
    assert [wish["name"] for wish in both["wishes"]] == ["mean", "cumulative"]
    needed = discreet("plan", "line.toml", "--stderr", 2.5, "--query", "mean").stdout
    assert "stderr=2.5 of the mean needs" in needed
    worst = discreet("plan", "line.toml", "--n", 100, "--worst").stdout
    assert "expected squared error of all shares in the worst case" in worst


def test_a_query_about_a_named_mechanism_changes_what_is_told_of_it(discreet, folder):
    (folder / "named.toml").write_text(LINE + '[mechanism]\nname = "hadamard"\n')
    told = json.loads(discreet("plan", "named.toml", "--n", 100, "--query", "mean", "--worst", "--json").stdout)
    assert told["mechanism"] == "hadamard"
    assert told["query_stderr"] > 0
    assert told["worst_squared_error"] > told["query_stderr"] ** 2


@pytest.mark.parametrize(
    ("query", "message"),
    [
        ("median", "query='median' must be shares, mean, cumulative or the name of a .json file"),
        ("none.json", "none.json"),
        ("words.json", "query='mode' must be"),
        ("broken.json", "this is not JSON"),
    ],
)
def test_a_query_that_cannot_be_asked_is_refused(refused, folder, query, message):
    (folder / "line.toml").write_text(LINE)
    (folder / "words.json").write_text('"mode"')
    (folder / "broken.json").write_text("{")
    assert message in refused("plan", "line.toml", "--n", 100, "--query", query)


def test_a_difference_is_planned_for(discreet, auto, folder):
    (folder / "first.json").write_text('{"0": 1}')
    told = discreet("plan", auto, "--query", "first.json", "--difference", "0.1:0.2", "--power", 0.9, "--json").stdout
    found = json.loads(told)["detection"]
    assert (found["first"], found["second"]) == (0.1, 0.2)
    assert found["power"] >= 0.9
    again = discreet(
        "plan", auto, "--query", "first.json", "--difference", "0.1:0.2", "--n", found["n"], "--json"
    ).stdout
    assert json.loads(again)["detection"]["power"] == pytest.approx(found["power"])
    part = discreet("plan", auto, "--query", "first.json", "--slope", 0.01, "--groups", "1/3:1/3").stdout
    assert "A slope of 0.01 for each unit" in part


def test_a_slope_is_planned_for_by_a_sample_of_the_covariate(discreet, refused, auto, folder):
    (folder / "c.json").write_text(json.dumps([0.0, 1.0, 2.0, 3.0] * 5))
    (folder / "flat.json").write_text("[1, 1]")
    (folder / "first.json").write_text('{"0": 1}')
    asked = ["plan", auto, "--event", "0", "--slope", 0.001, "--json"]
    normal, spread = (
        json.loads(discreet(*asked, *more).stdout)["detection"]["n"] for more in ([], ["--covariate", "c.json"])
    )
    assert spread < normal, "a covariate that varies more tells more"
    weighed = discreet("plan", auto, "--query", "first.json", "--slope", 0.001, "--json")
    assert json.loads(weighed.stdout)["detection"]["n"] == normal
    assert "covariate must go with a slope" in refused("plan", auto, "--difference", 0.1, "--covariate", "c.json")
    assert "covariate must be a column" in refused(*asked, "--covariate", "flat.json")
    assert "must not both be given" in refused(*asked, "--query", "shares")
    assert "must be" in refused("plan", auto, "--event", "nowhere", "--slope", 0.001)

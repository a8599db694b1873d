"""People who do not exist answer a questionnaire the way of a real client, and the truth they drew is compared."""

import json
import re

import numpy as np
import pytest
from click.testing import CliRunner
from running import running
from test_forms import ANSWERS, spec

import discreet as dc
from discreet.cli import main
from discreet.collector.simulation import Target, most_influential_report
from discreet.questionnaires.questions import asked_question
from discreet.wire.form import STRATEGIES
from discreet.wire.form_reports import ReportPacking


@pytest.fixture(scope="module")
def collector(tmp_path_factory):
    with running(tmp_path_factory.mktemp("collector")) as started:
        yield started


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_simulated_people_answer_a_questionnaire(collector, tmp_path, strategy):
    (tmp_path / "form.json").write_text(json.dumps(spec(strategy, "9")))
    tokens = ["--admin", collector.tokens["admin"], "--analyst", collector.tokens["analyst"]]
    flags = ["--people", "120", "--attackers", "0.1", "--labels", "week", "--threads", "2", "--quiet"]
    command = ["simulate", collector.address, *flags, *tokens, "--spec", str(tmp_path / "form.json"), "--invited"]
    done = CliRunner().invoke(main, command, catch_exceptions=False)
    assert done.exit_code == 0, done.output
    assert "120 accepted." in done.stdout
    assert "The collector has 120 reports." in done.stdout
    for name, values in ANSWERS.items():
        assert re.search(rf"{name}: Of {len(values)} true shares, [0-{len(values)}] lie in", done.stdout)
    assert len(re.findall("crafted reports wanted", done.stdout)) == 1
    (url,) = re.findall(r"http://\S+/collections/\S+", done.stdout)
    _, content = collector.ask("GET", f"{url.removeprefix(collector.address)}/progress", role="analyst")
    progress = json.loads(content)
    assert (progress["n"], progress["invitations"]) == (120, {"made": 120, "spent": 120})
    assert sum(progress["labels"]["week"].values()) == 120
    asked = progress["questions"].values()
    assert sum(asked) == 120 * (3 if strategy == "each" else 1)


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_no_report_outweighs_the_influence_that_is_said(strategy):
    form = dc.Form.of(spec(strategy))
    packing = ReportPacking(form)
    for name, values in ANSWERS.items():
        question = asked_question(form, name)
        said = question.describe(dc.estimate(question.mechanism.tally([0])))["influence"]
        for answer in range(len(values)):
            report = packing.unpack(packing.from_json(most_influential_report(form, Target(name, answer))))
            tally = form.tally([report])
            weight = dc.margins(tally)[name][1][answer] if strategy != "one at random" else _share(tally[name], answer)
            assert 1 <= weight <= said * (1 + 1e-9)


def _share(tally, answer):
    return float(np.asarray(dc.estimate(tally).shares)[answer])

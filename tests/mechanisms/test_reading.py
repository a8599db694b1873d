"""Designs by hand in specs and files: no context, names of reports, and what is refused."""

from pathlib import Path

import numpy as np
import pytest

import discreet as dc
from discreet.bulk.report_files import reports_from_texts, reports_to_texts
from discreet.core.errors import InvalidSpec
from discreet.mechanisms.by_hand.reading import DESIGNS, TAKEN
from discreet.wire import report_from_text, report_to_text

ASKED = {
    "crosswise": {"prevalence": "1/4"},
    "forced_response": {"truth": 0.4, "forced": {"no": "0.2", "yes": "2/5"}},
    "kuk": {"yes": "0.8", "no": "0.3", "draws": 3},
    "table": {"rows": [["0.9", "0.1"], ["1/5", "4/5"]]},
    "triangular": {"prevalence": "0.3"},
    "unrelated_question": {"p": "0.7", "prevalence": "1/12"},
    "warner": {"p": "0.7"},
}


def spec(name, **more):
    return {"domain": {"values": ["no", "yes"]}, "mechanism": {"name": name, **ASKED[name]}, **more}


def test_every_design_has_a_spec():
    assert set(ASKED) == set(DESIGNS) == set(TAKEN)


@pytest.mark.parametrize("name", ASKED)
@pytest.mark.parametrize("suffix", ["toml", "json"])
def test_a_spec_means_the_same_when_written_and_read(name, suffix, tmp_path):
    read = dc.Spec.of(spec(name))
    given = {key: entry for key, entry in ASKED[name].items() if key != "rows"}
    rows = [ASKED[name]["rows"]] if "rows" in ASKED[name] else []
    made = DESIGNS[name](["no", "yes"], *rows, **given)
    assert read.mechanism.fingerprint == made.fingerprint
    assert read.mechanism.report_names == made.report_names
    assert read.mechanism.name == name
    file = tmp_path / f"survey.{suffix}"
    for other in (read, dc.Spec.of_mechanism(made), read.resolved()):
        other.write(file)
        again = dc.Spec.read(file)
        assert again.mechanism.fingerprint == made.fingerprint
        assert tuple(again.mechanism.report_names) == made.report_names


def test_names_in_a_spec_are_those_of_its_reports(tmp_path):
    read = dc.Spec.of(spec("warner", reports=["nein", "ja"]))
    mechanism = read.mechanism
    assert mechanism.report_names == ("nein", "ja")
    assert report_to_text(mechanism, 1) == "ja"
    assert report_from_text(mechanism, "nein") == 0
    assert reports_to_texts(mechanism, np.array([1, 0])) == ["ja", "nein"]
    assert reports_from_texts(mechanism, ["ja", "nein"]).tolist() == [1, 0]
    assert dc.Spec.of(read.as_dict()).mechanism.report_names == ("nein", "ja")
    context = {"form": "uniform", "epsilon": "1"}
    named = {"domain": {"values": ["no", "yes"]}, "context": context, "reports": ["left", "right"]}
    assert dc.Spec.of({**named, "mechanism": {"name": "randomized_response"}}).mechanism.report_names == (
        "left",
        "right",
    )


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"mechanism": {"name": "warner"}}, "mechanism.p is missing"),
        ({"mechanism": {"name": "warner", "p": "0.7", "q": 1}}, "mechanism.q is not a known entry"),
        ({"mechanism": {"name": "warner", "p": "0.5"}}, "mechanism: p="),
        ({"mechanism": {"name": "kuk", "yes": "0.7", "no": "0.1", "draws": "2"}}, "mechanism.draws must be a whole"),
        ({"mechanism": {"name": "table", "rows": [["1"], "0"]}}, r"mechanism.rows\[1\] must be a list"),
        ({"mechanism": {"name": "subset"}}, "context is missing"),
        ({"mechanism": {"name": "forced_response", "truth": "1/2", "forced": {"maybe": 1}}}, "maybe"),
        ({"reports": "ab"}, "reports must be a list"),
        ({"reports": [1, 2]}, "reports must be text"),
        ({"reports": ["a"]}, "2 different ones"),
    ],
)
def test_what_is_refused(change, said):
    with pytest.raises(dc.errors.DiscreetError, match=said):
        dc.Spec.of({**spec("warner"), **change}).mechanism  # noqa: B018


def test_no_values_and_no_context():
    with pytest.raises(InvalidSpec):
        dc.Spec.of({"mechanism": {"name": "warner", "p": "0.7"}})


@pytest.mark.parametrize("suffix", ["csv", "jsonl", "parquet"])
def test_files_hold_names(suffix, tmp_path):
    from discreet.bulk.jobs import randomize_files, tally_files

    mechanism = dc.Spec.of(spec("warner", reports=["nein", "ja"])).mechanism
    (tmp_path / "held.csv").write_text("held\n" + "yes\nno\nno\n" * 20)
    out = str(tmp_path / f"reports.{suffix}")
    randomize_files(mechanism, [str(tmp_path / "held.csv")], out, dc.random.seeded(1), column="held")
    assert tally_files(mechanism, [out]).n == 60
    if suffix != "parquet":
        assert "nein" in Path(out).read_text()


def test_a_column_of_text_in_parquet_holds_names(tmp_path):
    import pyarrow as pa
    import pyarrow.parquet as pq

    from discreet.bulk.jobs import tally_files

    mechanism = dc.by_hand.warner(p="0.7")
    column = pa.array(["yes", "no", "no"])
    for number, answers in enumerate((column, column.dictionary_encode())):
        file = str(tmp_path / f"{number}.parquet")
        pq.write_table(pa.table({"report": answers}), file)
        assert tally_files(mechanism, [file], unmarked=True).counts.tolist() == [2, 1]

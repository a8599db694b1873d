import json


def test_a_report_is_written(discreet, folder):
    discreet("randomize", "survey.toml", "answers.txt", "-o", "reports.txt")
    discreet("tally", "survey.toml", "reports.txt", "-o", "tally.json")
    told = discreet(
        "release", "survey.toml", "tally.json", "--title", "A survey", "--note", "A pilot.", "-o", "r.json"
    ).stdout
    assert told == "The report is in r.json.\n"
    data = json.loads((folder / "r.json").read_text())
    assert data["title"] == "A survey"
    assert data["caveats"][-1] == "A pilot."
    discreet(*named, "--method", "shrink", "-o", "r.html")
    assert (folder / "r.html").read_text().startswith("<!doctype html>")


def test_another_kind_of_file_is_refused(discreet, refused, folder):
    discreet("randomize", "survey.toml", "answers.txt", "-o", "reports.txt")
    discreet("tally", "survey.toml", "reports.txt", "-o", "tally.json")
    assert ".html or a .json" in refused("release", "survey.toml", "tally.json", "--title", "x", "-o", "r.pdf")
    assert not (folder / "r.pdf").exists()

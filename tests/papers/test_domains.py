from __future__ import annotations

from discreet.papers import domains
from discreet.papers.report import Setting


def test_the_papers_mechanism_is_hadamard_also_for_one_sensitive_value(made_up):
    assert domains.mechanism_for("pages", "high-low, health", "1", paper=True).name == "high_low(hadamard)"
    assert domains.mechanism_for("pages", "classical", "1", paper=True).name == "hadamard"
    assert domains.mechanism_for("affair", "classical", "1", paper=True).name == "randomized_response"
    assert domains.mechanism_for("affair", "binary, only yes hidden", "1", paper=True).name == "binary"


def test_the_report_covers_every_survey_and_context(made_up, tmp_path):
    made = domains.run(Setting(runs=2, workers=1))
    errors, gains = made.tables
    assert {row[0] for row in errors.rows} == set(domains.SURVEYS)
    assert len(errors.rows) == 4 * 2 * len(domains.METHODS)
    assert len(gains.rows) == 4 * len(domains.EPSILONS)
    assert made.save(tmp_path)[0][1].stat().st_size > 3000


def test_the_context_helps_on_the_shared_pages(shared):
    """One seeded survey: health alone hidden has a tenth of the error, or less, of everything hidden."""
    classical = domains.measure("pages", "classical", "1", 0)["project"]["squared"]
    suited = domains.measure("pages", "high-low, health", "1", 0)["project"]["squared"]
    assert 10 * suited < classical


def test_without_the_tables_it_says_so(no_data):
    made = domains.run(Setting())
    assert "msnbc_counts.tsv must lie in the folder" in made.said
    assert not made.tables

# ---
# jupyter:
#   jupytext:
#     text_representation:
#       extension: .py
#       format_name: percent
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown]
"""
# A notebook for survey teams

A health service suspects that some of its staff take pills to get through their shifts. The board wants figures:
how many, where, and whether it is getting worse. Nobody will say so to their employer, and with this method nobody
has to. Each answer is randomized on the person's own device; the employer receives a report that
never proves that somebody took anything, and still learns the shares.

This notebook goes from the question to the page that is published. **The people in it are made up with NumPy**, so
that the truth is known and each result can be compared with it. You need Python, but no statistics beyond an
interval.
"""

# %%
import math
from pathlib import Path
from tempfile import mkdtemp
from textwrap import fill

import numpy as np
from IPython.display import HTML, SVG

import discreet as dc
from discreet.plots import plot_shares

folder = Path(mkdtemp())  # for the pictures and the release

# %% [markdown]
# ## The question, in words
#
# > In the past month, how often did you take something that nobody had prescribed for you, to get through a shift?
#
# There are four answers. Write down, before anything else, which of them could harm whoever gives it. Here that is
# every answer except *never*: whoever never did it loses nothing if that shows.

# %%
question = (
    "In the past month, how often did you take something that nobody had prescribed for you, to get through a shift?"
)
answers = ["never", "once or twice", "weekly", "daily"]
sensitive = answers[1:]

# %% [markdown]
# ## How well hidden? Say it in odds
#
# *Epsilon* is how well an answer is hidden. It is easier to discuss as odds: whatever somebody believed about a
# colleague beforehand, after seeing the colleague's report the odds of a sensitive answer against any other have
# grown by a factor of at most $e^\varepsilon$. Suppose that 5 in 100 take something daily. How sure can somebody be,
# at most, after seeing the report of one person?

# %%
print("epsilon  odds grow at most  5 in 100 become at most  stderr of 'daily'")
for epsilon in ("0.69", "1.09", "1.38", "2.3"):
    choice = dc.Context.high_low(answers, sensitive=sensitive, epsilon=epsilon)
    odds = choice.posterior_odds_bound("daily", "never", 5 / 95)
    expected = dc.plan(choice, n=10_000, prior=[0.7, 0.15, 0.1, 0.05], query={"daily": 1}).expected
    factor, certain, error = math.exp(float(epsilon)), 100 * odds / (1 + odds), expected.targets[0][1]
    print(f"{epsilon:>7}  {factor:>17.2f}  {certain:>16.1f} in 100  {error:>17.4f}")

# %% [markdown]
# More protection costs accuracy; the last column is the price, with 10,000 people. This team decides that odds may
# grow fourfold at most. The logarithm of 4 is 1.386, so epsilon is 1.38. It is a decision about people, and it is
# made before anybody looks at what else it costs.
#
# The *context* writes both decisions down. All that follows is derived from it.

# %%
context = dc.Context.high_low(answers, sensitive=sensitive, epsilon="1.38")
assert math.exp(1.38) < 4
print(context)

# %% [markdown]
# ## How many people?
#
# Two regions should be told apart if 15 in 100 take something at least weekly in one and 21 in 100 in the other.
# There are four regions, and the capital will be compared with each of the other three, so three tests share the risk
# of a false alarm. People are asked hospital by hospital, and colleagues are alike: a *design effect* of 1.3 allows
# for that. The assumed shares are a guess from the literature.

# %%
guess = [0.70, 0.15, 0.10, 0.05]
often = {"weekly": 1, "daily": 1}
wanted = {"difference": (0.15, 0.21), "query": often, "prior": guess, "power": 0.8}
asked = {"groups": (1 / 4, 1 / 4), "comparisons": 3, "design_effect": 1.3}
plan = dc.plan(context, **wanted, **asked)
print(fill(plan.detection.sentence, 80))

# %% [markdown]
# Randomization is not free: without it a seventh of the people would do, if they told the truth. What does it buy to
# say that *never* may show? Classical privacy hides every answer from every other one, and needs more people:

# %%
classical = dc.plan(dc.Context.uniform(answers, "1.38"), **wanted, **asked)
print(f"{classical.n:,} people in place of {plan.n:,}: {classical.n / plan.n:.2f} times as many")
assert classical.n > 1.25 * plan.n

# %% [markdown]
# ## What the staff is told
#
# The plan has chosen a mechanism, the rule by which devices draw reports. `dc.verify` proves from whole numbers that
# it keeps the promise, and `dc.exposure` says what one report tells, in words for the consent page.

# %%
mechanism = plan.mechanism
print(dc.verify(mechanism))
print()
print(*dc.exposure(mechanism, prior=guess).sentences("daily"), sep="\n")

# %% [markdown]
# ## The people
#
# From here on a simulation takes the place of the devices. 30,000 members of staff answer, in 120 hospitals, over
# four quarters. Region, hospital, quarter, age and whether somebody works nights are *labels*: public, on the rota,
# and not protected. Those who work nights answer half as often as the others, so that each of them stands for two
# people: that is their *weight*.
#
# The truth, which the analysis never sees: in the capital more people do it, and in every quarter a few more than
# before; night shifts matter most, age does not.

# %%
people, n = np.random.default_rng(2026), 30_000
hospital = people.integers(0, 120, n)
region = np.array(["capital", "coast", "hills", "plains"])[hospital % 4]
quarter = people.integers(1, 5, n)
age = people.integers(21, 66, n)
nights = people.random(n) < 0.25  # 40 of 100 work nights; they answer half as often
weights = np.where(nights, 2.0, 1.0)

habit = people.normal(0, 0.01, 120)[hospital]  # colleagues are alike
at_least_weekly = 0.08 + 0.06 * (region == "capital") + 0.012 * quarter + 0.08 * nights + habit
chances = np.stack([0.78 - 0.9 * at_least_weekly, 0.22 - 0.1 * at_least_weekly, 0.7 * at_least_weekly], axis=1)
held = (people.random(n)[:, None] > np.cumsum(chances, axis=1)).sum(axis=1)  # the number of each person's answer

# %% [markdown]
# Each device would draw its report from the randomness of its operating system, `dc.random.secure()`. A seed makes
# this notebook come out the same each time. **A real collection is never seeded**: whoever knows the seed can undo
# the reports.

# %%
reports = mechanism.randomize_indices(held, dc.random.seeded(2))
labels = {"region": region, "quarter": quarter, "age": age, "nights": np.where(nights, "nights", "days")}
survey = dc.Survey(mechanism, reports, labels=labels, weights=weights, clusters=hospital)
print(survey)

# %% [markdown]
# ## Can these reports be believed?
#
# Some faults and some fakes leave traces. `dc.goodness_of_fit` looks for them before anything is concluded.

# %%
checked = dc.goodness_of_fit(survey)
print(checked)
assert checked.p > 0.01

# %% [markdown]
# ## How many?
#
# Weights and clusters are taken into account. The interval covers the true share in 95 of 100 such surveys.

# %%
shares = survey.shares()
print(shares)

# %% mystnb={"image": {"alt": "Four shares with intervals; never is by far the largest, daily the smallest"}}
truth = np.array([np.average(held == x, weights=weights) for x in range(4)])
low, high = shares.interval(0.95)
assert ((low <= truth) & (truth <= high)).all()

shares.plot(folder / "shares.svg", title="Took something to get through a shift, past month")
SVG(folder / "shares.svg")

# %% [markdown]
# What do weights and clusters change? Those who work nights do it more often and answer less. Without weights the
# survey measures the share among those who answered; with weights, that among the staff. The standard error grows,
# and is honest: compare it with the design effect that the plan assumed.

# %%
plain = dc.Survey(mechanism, reports).query(often)
whole = survey.query(often)
effect = (whole.stderr / plain.stderr).item() ** 2
true_shares = (held >= 2).mean(), truth[2:].sum()
for name, found, true in zip(("those who answered", "the staff"), (plain, whole), true_shares, strict=True):
    print(f"{name:18}  estimate {found.estimate.item():.3f} ± {found.stderr.item():.4f}, truth {true:.3f}")
    assert abs(found.estimate.item() - true) < 2 * found.stderr.item()
print(f"design effect {effect:.2f}, planned 1.3")
assert plain.estimate.item() < whole.estimate.item()

# %% [markdown]
# ## Does the capital differ?
#
# `compare` subtracts unbiased shares and gives the difference its own interval. Three differences are looked at, so
# `adjusted_p` counts.

# %% mystnb={"image": {"alt": "Three differences to the capital, all with intervals below zero"}}
regions = dc.compare(survey, by="region", query=often)
print(regions)
regions.plot(folder / "regions.svg", title="At least weekly: other regions less the capital")
SVG(folder / "regions.svg")

# %% [markdown]
# The interval of a difference is what the board should see, not a star behind a number. All three are below zero, and
# the truth is inside:

# %%
there = {name: np.average(held[region == name] >= 2, weights=weights[region == name]) for name in np.unique(region)}
true_differences = np.array([there[name] - there["capital"] for name in ("coast", "hills", "plains")])
low, high = (end.ravel() for end in regions.interval(0.95))
print("truth:", true_differences.round(3))
assert (high < 0).all()
assert ((low <= true_differences) & (true_differences <= high)).all()

# %% [markdown]
# ## Is it getting worse?
#
# First the four quarters, each with its interval. None of them is precise:

# %% mystnb={"image": {"alt": "The share of each of four quarters with wide intervals, rising slowly"}}
quarters = survey.by("quarter", query=often)
quarters.plot(folder / "quarters.svg", title="At least weekly, by quarter")
SVG(folder / "quarters.svg")

# %% [markdown]
# A trend uses all of them at once. Here is the change of the share from one quarter to the next; the truth is 0.012.

# %%
trend = dc.regress(survey, often, on=["quarter"])
print(trend)

# %% [markdown]
# ## What goes with it?
#
# A regression holds one thing constant while it looks at another. Its outcome is an answer that nobody has seen, and
# its coefficients are unbiased all the same: differences in the share who do it at least weekly.

# %% mystnb={"image": {"alt": "Coefficients with intervals: nights above zero, regions below, age around zero"}}
regression = dc.regress(survey, often, on=["nights", "age", "quarter", "region"])
print(regression)
regression.plot(folder / "regression.svg", title="At least weekly: what goes with it")
SVG(folder / "regression.svg")

# %% [markdown]
# Night shifts stand out. Age does not, and the truth has none: its interval holds 0. *Goes with* is not *causes*; the
# survey cannot tell why.

# %%
built_in = {"nights[nights]": 0.08, "age": 0.0, "quarter": 0.012, "region[coast]": -0.06}
table = regression.table(0.95)
for name, low, high in zip(table["name"], table["low"], table["high"], strict=True):
    if name in built_in:
        print(f"{name:15} built in {built_in[name]:6.3f}, interval from {low:7.4f} to {high:7.4f}")
        assert low <= built_in[name] <= high

# %% [markdown]
# ## Two questions together
#
# Do those who take something also think of leaving? A second question would spend a second epsilon if it got a report
# of its own. The plan of a *form* compares three ways to ask both under one epsilon:

# %%
form = dc.Form({"takes": ["seldom", "often"], "leaves": ["stays", "unsure", "leaves"]}, "together", epsilon="1.38")
print(form.plan(n=12_000))

# %% [markdown]
# For how answers go together, *together* has the least error: one report of the pair. 12,000 other members of staff
# are asked both; among those who take something often, half want to leave, among the others a fifth.

# %% mystnb={"image": {"alt": "A table of two questions as shaded cells with shares and half-widths"}}
second = 12_000
takes = np.where(people.random(second) < 0.2, "often", "seldom")
u = people.random(second)
leaving = np.where(takes == "often", np.searchsorted([0.3, 0.5], u), np.searchsorted([0.5, 0.8], u))
leaves = np.array(["stays", "unsure", "leaves"])[leaving]

(part,) = form.parts
both = form.randomize_many({"takes": takes, "leaves": leaves}, dc.random.seeded(5))
joint = dc.crosstab(dc.Survey(form.mechanisms[part], both.reports[part]), names=("takes", "leaves"))
joint.plot(folder / "joint.svg", title="Two answers, shares of all people")
SVG(folder / "joint.svg")

# %%
given = joint.given(first="often")
print(given)
print(f"The chance of so uneven a table, if neither had to do with the other: {joint.independence.p:.0e}")
leaving_row = given.table(0.95)
assert joint.independence.p < 0.001
assert leaving_row["low"][2] <= 0.5 <= leaving_row["high"][2]

# %% [markdown]
# ## What if some did not play along?
#
# A device draws honestly, but a person can still tell it *never*. No survey can see that, and the board will ask. So
# turn the question round: how many would have to evade before the conclusion changes? The board has said that it will
# act if 20 in 100 do it at least weekly. (This counts every report once: it is about those who answered, without
# weights.)

# %% mystnb={"image": {"alt": "The share against the part of people who evade, under three readings"}}
estimate = dc.estimate(mechanism.tally(reports))
evading = dc.noncompliance(estimate, to="never", query=often, share=[0, 0.05, 0.1, 0.15, 0.2, 0.25], threshold=0.2)
evading.plot(folder / "noncompliance.svg", title="At least weekly, if some claim 'never' whatever they do")
SVG(folder / "noncompliance.svg")

# %%
alike, _ = evading.tipping()
only_they, _ = evading.tipping("highest")
print(f"20 in 100 is reached if {alike:.0%} of all people evade, and these are like the others;")
print(f"or if {only_they:.1%} do, and all of them take something at least weekly.")
assert only_they < alike

# %% [markdown]
# Put both sentences into the report. They are worth more than a promise that everybody was honest.
#
# ## The table and the figure
#
# A table for the board: everybody and each region, in whole per cent: the survey knows no more.

# %%
by_region = survey.by("region", query=often).table(0.95)
low, high = whole.interval(0.95)
rows = [("everybody", n, whole.estimate.item(), low.item(), high.item())]
rows += zip(*(by_region[name] for name in ("region", "n", "estimate", "low", "high")), strict=True)
cells = "".join(
    f"<tr><td>{name}</td><td>{count:,}</td><td>{share:.0%}</td><td>{least:.0%} to {most:.0%}</td></tr>"
    for name, count, share, least, most in rows
)
head = "<tr><th></th><th>asked</th><th>at least weekly</th><th>95 % interval</th></tr>"
HTML(f'<table class="docutils">{head}{cells}</table>')

# %% [markdown]
# And a figure. It shows intervals, not only points, and here also the truth, which a real survey does not have.

# %% mystnb={"image": {"alt": "Four shares with intervals that hold the true shares"}}
answered = np.bincount(held, minlength=4) / n
plot_shares(
    estimate, folder / "figure.svg", title="Those who answered: shares, intervals and the truth", truth=answered
)
SVG(folder / "figure.svg")

# %% [markdown]
# ## The release
#
# One page for the public, in one file: the promise, its proof and the fingerprint of the law, the weighted shares, and
# what they do not say. Whoever doubts it can check the fingerprint against what the devices were sent.

# %%
release = dc.release(
    survey.shares(),
    title="Getting through the shift",
    question=question,
    randomized="device",
    notes=(
        "The table by region is published beside this page.",
        f"At least weekly would be 20 in 100 if {only_they:.1%} of all people had claimed 'never' and did so.",
    ),
)
release.write(folder / "release.html")
page = release.to_dict()
print(*page["promise"]["sentences"], sep="\n")
print()
print(*page["caveats"], sep="\n")
assert mechanism.fingerprint in (folder / "release.html").read_text(encoding="utf-8")

# %% [markdown]
# ## How small may a group be?
#
# Small groups cost accuracy, never what was promised against the employer: that holds for each report by itself.
# Readers of a published table see less than the employer, since it says nothing of who sent what. `dc.shuffled`
# bounds what they could learn about somebody in a group of 250 people, about one hospital, at a delta of one in a
# million.

# %%
hospital_table = dc.shuffled(mechanism, 250)
print(hospital_table)

# %% [markdown]
# ## What to take away
#
# - Decide what is sensitive, and by how much odds may grow, before you count people.
# - Plan for the difference that matters. The price of privacy is people, and `dc.plan` names it.
# - Publish unbiased shares with intervals, and say what noncompliance would change.
#
# The next steps: [run a collector](../how-to/run-a-collector.md), [let people answer in their
# browser](../how-to/use-the-pages.md), [compare groups and waves](../how-to/groups-and-trends.md), [ask several
# questions](../how-to/several-questions.md).

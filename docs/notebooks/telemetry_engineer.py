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
# A notebook for telemetry engineers

A program that runs on millions of devices crashes now and then. Which crash is common, in which release, and where?
A crash can tell what somebody was doing, so no device should send it as it is. Here each device randomizes its
value, and the server counts reports of two bytes.

You will choose a mechanism under a budget of bits, have it certified, randomize four million values, pass them
through Parquet files, count them by release, find what is common, and see what somebody with forged reports could
do. **All devices are made up with NumPy.**
"""

# %%
import hashlib
import os
import shlex
import subprocess
import sys
import time
from pathlib import Path
from statistics import NormalDist
from tempfile import mkdtemp

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from IPython.display import SVG

import discreet as dc
from discreet.bulk.labelled.tallies import read_groups
from discreet.plots import plot_estimates
from discreet.plots.picture import INK, new_figure, save
from discreet.wire import law_text, parse_law, report_to_bytes

# %%
folder = Path(mkdtemp())  # for files and pictures

seconds = {}  # of the processor, by what was done


def clock(name, work):
    """Do the work and note its seconds, with those of programs that it started."""
    begin = time.process_time() + sum(os.times()[2:4])
    result = work()
    seconds[name] = time.process_time() + sum(os.times()[2:4]) - begin
    return result


def refused(error, work):
    """What is said when the work is refused, as it must be."""
    try:
        work()
    except error as said:
        return f"refused: {said}"
    raise AssertionError("this was not refused")


# %% [markdown]
# ## A thousand values, two bytes
#
# There are 1,000 known crashes, each hidden from all others at epsilon 2: no report is more than $e^2 \approx 7.4$
# times as likely from one as from another. `dc.explain` compares the mechanisms whose reports fit 16 bits by their
# exact error; the reports that each needs are in proportion to `n x error`.

# %%
crashes = [f"crash-{number:03}" for number in range(1000)]
context = dc.Context.uniform(crashes, epsilon="2")
choice = dc.explain(context, bits=16)
print(choice)

# %% [markdown]
# Two things to read from it. *Randomized response*, which sends the true value with some chance and any other one
# otherwise, needs 34 times as many devices as the best. And a bit can be worth a lot: ten bits, the least that can
# name 1,000 values, are enough, but with eleven fewer than half the devices do. After that little is gained.

# %%
errors = {bits: dc.explain(context, bits=bits).candidates[0].error for bits in (10, 11, 12, 13, 16)}
print({bits: round(error) for bits, error in errors.items()})
assert errors[11] < errors[10] / 2
assert errors[16] > 0.95 * errors[11]
mechanism = choice.chosen

# %% [markdown]
# ## Certificate and law
#
# A mechanism is made only if its integers, the numbers of 64-bit words that lead to each report, keep the promise.
# The certificate says so.

# %%
print(dc.verify(mechanism))
assert dc.verify(mechanism).realised <= 2

# %% [markdown]
# Those integers are what is published, as canonical JSON. Its SHA-256 is the *fingerprint*, which goes with every
# file and upload, so that counts are never read by the wrong key. Devices get this text; the server keeps it as a
# *spec*.

# %%
law = law_text(mechanism)
assert hashlib.sha256(law.encode()).hexdigest() == mechanism.fingerprint
dc.Spec.of_mechanism(mechanism, name="crashes").write(folder / "crashes.toml")
assert dc.Spec.read(folder / "crashes.toml").mechanism.fingerprint == mechanism.fingerprint
print(f"{len(law):,} bytes of law, fingerprint {mechanism.fingerprint[:16]}...")

# %% [markdown]
# ## What the device checks
#
# The device believes nothing: it proves the promise again from the integers. Suppose that the server claims epsilon
# 1.9 and sends the law of 2.

# %%
assert parse_law(law).fingerprint == mechanism.fingerprint
lie = law.replace('"epsilon":"2"', '"epsilon":"1.9"')
print(refused(dc.errors.PrivacyViolation, lambda: parse_law(lie)))

# %% [markdown]
# ## One device
#
# Randomness comes from the operating system, and the report is two bytes. Every fresh report spends its epsilon
# again. So a device keeps a *ledger*: one value gets one report, which is sent again as it is, and what all answers
# spend together stays below a cap. This device allows 3 in all.

# %%
ledger = dc.Ledger(folder / "ledger.jsonl", cap="3")
monday = ledger.randomize(mechanism, "crash-042", dc.random.secure(), question="crashes, 47")
again = ledger.randomize(mechanism, "crash-042", dc.random.secure(), question="crashes, 47")
assert monday == again
assert len(report_to_bytes(mechanism, monday)) == 2
rng, next_week = dc.random.secure(), "crashes, 48"
print(refused(dc.errors.Overspent, lambda: ledger.randomize(mechanism, "crash-042", rng, question=next_week)))

# %% [markdown]
# ## Four million values
#
# In a simulation all values are in one place, as they are where records are randomized before they leave a database.
# Few crashes are common and most are rare. A fifth of the devices runs the new release, in which `crash-017` is
# twenty times as common.
#
# The seed makes the notebook come out the same each time. **Real collections never seed**: whoever knows the seed can
# undo the reports.

# %%
people, n = np.random.default_rng(1), 4_000_000
common = 1 / np.arange(1, 1001) ** 1.1
shares = people.permutation(common / common.sum())
shares[17] = 0.001
new = shares.copy()
new[17] = 0.02
shares, new = shares / shares.sum(), new / new.sum()

release = (people.random(n) < 0.2).astype(np.uint8)
u = people.random(n)
in_new, in_old = (np.searchsorted(np.cumsum(p)[:-1], u) for p in (new, shares))
held = np.where(release, in_new, in_old).astype(np.uint16)

mechanism.randomize_indices(held[:200_000], dc.random.seeded(0))  # the first large batch waits for the compiler
reports = clock("randomize", lambda: mechanism.randomize_indices(held, dc.random.seeded(1)))
print(f"{len(reports):,} reports of type {reports.dtype}, {reports.nbytes / 1e6:.0f} MB")

# %% [markdown]
# Report *i* takes its own words of the source, whatever anybody holds. So one by one, in batches or on many cores,
# the same words give the same reports:

# %%
rng = dc.random.seeded(1)
batches = [mechanism.randomize_indices(part, rng) for part in np.array_split(held[:300_000], 7)]
one_by_one = dc.random.seeded(1)
assert np.array_equal(np.concatenate(batches), reports[:300_000])
assert [mechanism.randomize_index(int(x), one_by_one) for x in held[:100]] == reports[:100].tolist()

# %% [markdown]
# ## Through files
#
# The commands do the same with files larger than memory, piece by piece. The first two million devices come as two
# Parquet files, a day each, with the release beside the crash. `--keep release` carries that column along: a *label*,
# public to whoever sees the report. The answer itself cannot be kept.
#
# In a shell you would type the lines that are printed here.

# %%
(days := folder / "days").mkdir()
for day in range(2):
    rows = slice(day * 1_000_000, (day + 1) * 1_000_000)
    crash = pa.DictionaryArray.from_arrays(pa.array(held[rows]), pa.array(crashes))
    pq.write_table(pa.table({"crash": crash, "release": np.where(release[rows], "v2", "v1")}), days / f"{day}.parquet")


def discreet(line):
    """Run a command in the folder of this notebook, as a shell would; True if it worked."""
    print("$ discreet", line)
    command = [sys.executable, "-m", "discreet", *shlex.split(line)]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    print(done.stdout + done.stderr, end="")
    return done.returncode == 0


randomize = "randomize crashes.toml days --column crash --keep release -o reports.parquet --quiet --insecure-seed 1"
assert clock("command: randomize", lambda: discreet(randomize))
count = "tally crashes.toml reports.parquet --by release -o first.json --quiet"
assert clock("command: tally", lambda: discreet(count))

# %% [markdown]
# Columns and commands give the same reports from the same seed. The file carries the fingerprint of its mechanism, so
# that a spec with another law refuses to count it:

# %%
written = pq.read_table(folder / "reports.parquet")
assert written.schema.names == ["report", "release"]
assert np.array_equal(written["report"].to_numpy(), reports[:2_000_000])
dc.Spec.of_mechanism(dc.mechanism(context, "hadamard")).write(folder / "other.toml")
assert not discreet("tally other.toml reports.parquet -o wrong.json --quiet")

# %% [markdown]
# ## Tallies merge
#
# A tally is all that estimates need, and tallies add up in any order: count wherever reports arrive, and add. The
# other two million reports are counted in memory, by release, and merged with those of the files.

# %%
labels = {"release": np.where(release[2_000_000:], "v2", "v1")}
survey = dc.Survey(mechanism, reports[2_000_000:], labels=labels)
groups = read_groups(folder / "first.json", mechanism) + clock("tally by release", lambda: survey.tallies("release"))
tally = clock("tally", lambda: mechanism.tally(reports))
assert groups.tally == tally
print({label: f"{part.n:,}" for label, part in groups.items()})

# %% [markdown]
# ## What is common?
#
# The unbiased estimate has an exact standard error. Here all are about alike, and as large as a rare crash: what is
# rare stays hidden in the noise.

# %%
estimate = clock("estimate", lambda: dc.estimate(tally))
print(f"standard errors from {estimate.stderr.min():.6f} to {estimate.stderr.max():.6f}")
print(f"{(estimate.shares < 0).sum()} of 1,000 shares are below 0")

# %% [markdown]
# Whoever sorts 1,000 noisy shares and takes the largest is fooled by noise. *Simultaneous* intervals hold for all
# values at once, so whatever is picked from them is safe: these crashes are above 1 in 200, with 95 % confidence for
# the whole list.

# %% mystnb={"image": {"alt": "The common crashes in order of their shares, with intervals"}}
low, high = estimate.simultaneous_interval(0.95)
heavy = np.flatnonzero(low > 0.005)
heavy = heavy[np.argsort(-estimate.shares[heavy])]
true_shares = np.bincount(held, minlength=1000) / n
ends = {"estimate": estimate.shares[heavy], "low": low[heavy], "high": high[heavy]}
rows = {"names": [crashes[x] for x in heavy], **ends}
plot_estimates(rows, folder / "heavy.svg", title="Crashes above 1 in 200, simultaneous intervals", x_label="share")
print(f"{len(heavy)} found of {(true_shares > 0.005).sum()} that are above 1 in 200")
assert (true_shares[heavy] > 0.005).all()
assert ((low <= true_shares) & (true_shares <= high)).all()
SVG(folder / "heavy.svg")

# %% [markdown]
# ## Shares that are a distribution
#
# A dashboard wants shares that are not negative and add up to one. `dc.project` takes the nearest such shares;
# `dc.shrink` learns from the data how rare the rare ones are. Both are biased, and both are nearer to the truth as a
# whole. Test and compare the unbiased ones.

# %%
projected, shrunk = clock("project", lambda: dc.project(tally)), clock("shrink", lambda: dc.shrink(tally))
results = {"unbiased": estimate, "projected": projected, "shrunk": shrunk}
distance = {name: np.abs(result.shares - true_shares).sum() / 2 for name, result in results.items()}
print("total variation from the truth:", {name: round(float(far), 4) for name, far in distance.items()})
assert distance["shrunk"] < distance["projected"] < distance["unbiased"]
assert abs(projected.shares.sum() - 1) < 1e-9

# %% [markdown]
# ## What did the new release break?
#
# Subtract the unbiased shares of the two releases, in units of their standard error. Of 1,000 such differences some
# are beyond 3 by chance. If each is allowed a chance of 0.01/1,000, the limit is 4.4 (Bonferroni), and whatever is
# beyond it is a find. `dc.compare` then takes the tallies by release, and gives the difference with its interval.

# %%
before, after = (groups.estimates()[name] for name in ("v1", "v2"))
z = (after.shares - before.shares) / np.hypot(after.stderr, before.stderr)
limit = NormalDist().inv_cdf(1 - 0.01 / 1000 / 2)
broken = [crashes[x] for x in np.flatnonzero(abs(z) > limit)]
print(f"beyond {limit:.1f}: {broken}; beyond 3: {(abs(z) > 3).sum()}")
assert broken == ["crash-017"]
found = clock("compare", lambda: dc.compare(groups, by="release", query={"crash-017": 1}))
print(found)
low, high = found.interval(0.95)
assert low.item() <= new[17] - shares[17] <= high.item()

# %% [markdown]
# ## Forged reports
#
# Anybody can send reports, also crafted ones. Whatever is sent, one report counts for at most its *influence* in
# people, on any value: the last column of the first table. Let one device in a thousand lie for `crash-999`, with the
# reports that speak for it most.
#
# Some forgery is seen: `dc.goodness_of_fit` finds here that these cannot all be reports of this law. It does not see
# those who claim another value by the rules.

# %%
influence, worst = choice.candidates[0].influence, choice.candidates[-1]
chances = [mechanism.sampler.probability(999, y) for y in mechanism.reports()]
largest = max(chances)
speaking = [y for y, chance in enumerate(chances) if chance == largest]
forged = people.choice(speaking, n // 1000).astype(reports.dtype)
attacked = dc.estimate(mechanism.tally(np.concatenate([reports[len(forged) :], forged])))
moved = attacked["crash-999"] - estimate["crash-999"]
print(f"influence {influence:.2f}: up to {0.001 * influence:.5f}, but for noise; the share moved by {moved:.5f}")
print(f"with {worst.name} it would be up to {0.001 * worst.influence:.3f}")
assert abs(moved - 0.001 * influence) < 3 * estimate.stderr[999]
honest, caught = dc.goodness_of_fit(tally), dc.goodness_of_fit(attacked.tally)
print(f"p of the honest reports {honest.p:.2f}, of the forged ones {caught.p:.1g}")
assert honest.p > 0.01
assert caught.p < 1e-3

# %% [markdown]
# ## Places, in blocks
#
# Where do devices crash? A map of 40 x 40 cells. That a device is in some city is no secret here, but where in the
# city is: a context in *blocks* hides each cell among the 100 of its block and lets the block show. Classical privacy
# hides it among all 1,600.

# %% mystnb={"image": {"alt": "Three maps of three towns: the truth, hidden in blocks, hidden everywhere"}}
made = {
    "hidden in its block": dc.mechanism(dc.geo.grid_context((40, 40), (4, 4), epsilon="1"), bits=16),
    "hidden everywhere": dc.mechanism(dc.Context.uniform(range(1600), epsilon="1"), bits=16),
}
row, column = np.divmod(np.arange(1600), 40)
towns = [(8, 9, 3, 0.45), (27, 30, 2, 0.35), (31, 8, 4, 0.2)]  # row, column, spread, share
density = np.zeros(1600)
for y, x, size, share in towns:
    near = np.exp(-((row - y) ** 2 + (column - x) ** 2) / (2 * size**2))
    density += share * near / near.sum()
where = people.choice(1600, size=2_000_000, p=density)
on_map = np.bincount(where, minlength=1600) / len(where)
maps, far = {"truth": on_map}, {}
for seed, (name, one) in enumerate(made.items()):
    shrunk = dc.shrink(one.tally(one.randomize_indices(where, dc.random.seeded(seed))))
    maps[name], far[name] = shrunk.shares, np.abs(shrunk.shares - on_map).sum() / 2
print("total variation from the truth:", {name: round(float(one), 3) for name, one in far.items()})
assert far["hidden in its block"] < far["hidden everywhere"]
figure = new_figure(8.4, 2.9)
panels = figure.subplots(1, 3)
for axes, (name, cells) in zip(panels, maps.items(), strict=True):
    shown = axes.imshow(cells.clip(min=1e-5).reshape(40, 40), norm="log", cmap="viridis_r", origin="lower")
    axes.set_title(name, fontsize=9, color=INK, loc="left")
    axes.set_axis_off()
figure.colorbar(shown, ax=panels, shrink=0.8).set_label("share of a cell, shrunk", fontsize=8, color=INK)
save(figure, folder / "maps.svg")
SVG(folder / "maps.svg")

# %% [markdown]
# ## How small a batch may be published?
#
# Against the server epsilon is 2, and nothing better. Whoever sees only a tally, without who sent what, learns far
# less, because other reports hide the own one. So set a minimum batch. For an epsilon of a half at a delta of
# $10^{-8}$:

# %%
print(f"no tally of fewer than {dc.batch_needed(mechanism, epsilon=0.5, delta=1e-8):,} devices")
print(dc.shuffled(mechanism, 100_000))

# %% [markdown]
# ## Where the time goes
#
# Processor time of this run, in units of what randomizing a million values takes. A command spends nearly all of its
# time on starting: it loads NumPy, PyArrow and Numba, which prepares the sampler. Four times the reports take it
# little longer. Other machines have other ratios: `make bench` measures yours.

# %%
millions = {"randomize": n / 1e6, "tally": n / 1e6, "tally by release": 2}
each = {name: spent / millions.get(name, 1) for name, spent in seconds.items()}
for name, spent in sorted(each.items(), key=lambda one: -one[1]):
    of = "a million reports" if name in millions else "two million reports" if "command" in name else "any number"
    print(f"{name:20}{spent / each['randomize']:9.2f}  {of}")

# %% [markdown]
# ## What to take away
#
# - Give `dc.explain` your budget of bits; look at the error and at the influence, and take what it chooses.
# - Publish the law and its fingerprint. Devices prove the promise again, and keep a ledger.
# - Tally where reports arrive, add tallies, and publish no small ones.
# - Name what is common by simultaneous intervals; compare releases by unbiased shares; show projected or shrunk ones
#   on dashboards.
#
# The next steps: [files in bulk](../how-to/bulk-files.md), [Spark](../how-to/spark.md), [a collector of your
# own](../how-to/run-a-collector.md), [the client in JavaScript](../how-to/take-part.md).

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
# A notebook for researchers

How good is a mechanism, how good can any be, and does the code do what the paper says? This notebook compares
closed forms with simulation, sets both beside lower bounds, finds an optimal channel for a matrix E of its own with
a proof, looks at channels as exact fractions, attacks a sampler as a black box, and certifies a new mechanism given
as a table.

Where something is claimed, a line asserts it, and the build of these pages fails if it is not so. All data are
simulated. Seeds (`dc.random.seeded`) make the numbers come out the same each time; **a real collection never
seeds**.
"""

# %%
import math
from fractions import Fraction
from pathlib import Path
from tempfile import mkdtemp

import numpy as np
from IPython.display import SVG

import discreet as dc
from discreet.auditing import Bulk
from discreet.checks import check_mechanism
from discreet.plots import plot_curves, plot_design, plot_error_region
from discreet.plots.picture import COLOURS, MARKERS, new_figure, plain, save

folder = Path(mkdtemp())  # for the pictures

# %% [markdown]
# ## Closed form and simulation
#
# Let $\hat p$ be the unbiased estimate of the shares $p$ from $n$ reports. The risk $n\,\mathbb{E}\|\hat p - p\|^2$
# has a closed form for every mechanism here, which `dc.plan` computes from exact second moments. At even shares on $k
# = 32$ values:

# %%
NAMES = ("randomized_response", "hadamard", "unary", "subset", "projective")
k, epsilons = 32, ("0.5", "1", "2", "3", "4")


def risk(mechanism):
    """n times the expected squared error of all shares, at even shares: exact."""
    return dc.plan(mechanism, n=1).expected.total_squared_error


def uniform(size, epsilon):
    """Classical local differential privacy on `size` values."""
    return dc.Context.uniform(range(size), epsilon=epsilon)


made = {name: [dc.mechanism(uniform(k, epsilon), name) for epsilon in epsilons] for name in NAMES}
closed = {name: [risk(one) for one in row] for name, row in made.items()}
bound = [dc.bounds.unbiased_uniform(k, epsilon=float(epsilon)).value for epsilon in epsilons]

print(f"{'epsilon':22}" + "".join(f"{epsilon:>9}" for epsilon in epsilons))
for name, row in {**closed, "no mechanism below": bound}.items():
    print(f"{name:22}" + "".join(f"{one:9.2f}" for one in row))

# %% [markdown]
# Subsets attain the lower bound of unbiased estimates (Wang2016, Rao1945); the projective design is near it with
# reports of a few bits, and randomized response gets there as epsilon grows.

# %%
assert np.allclose(closed["subset"], bound, rtol=1e-6)
assert all((np.array(row) > np.array(bound) * (1 - 1e-6)).all() for row in closed.values())

# %% [markdown]
# Does the code have that risk? Simulate 60 surveys of 2,000 people for each point. The mean of 60 squared errors has
# a Monte-Carlo error, the standard deviation over $\sqrt{60}$, which belongs beside it.

# %%
SURVEYS, PEOPLE = 60, 2000
population = np.random.default_rng(3)


def simulated(mechanism, seed):
    """The mean of n |p^ - p|^2 over simulated surveys, and its Monte-Carlo error."""
    held = population.integers(0, mechanism.context.size, SURVEYS * PEOPLE)
    reports = mechanism.randomize_indices(held, dc.random.seeded(seed))
    errors = []
    for part in np.split(np.arange(SURVEYS * PEOPLE), SURVEYS):
        shares = dc.estimate(mechanism.tally(reports[part])).shares
        errors.append(PEOPLE * ((shares - 1 / mechanism.context.size) ** 2).sum())
    return np.mean(errors), np.std(errors, ddof=1) / math.sqrt(SURVEYS)


found = {name: [simulated(one, seed) for seed, one in enumerate(row)] for name, row in made.items()}
z = {
    name: [(mean - exact) / error for (mean, error), exact in zip(found[name], closed[name], strict=True)]
    for name in NAMES
}
print("largest distance from the closed form, in Monte-Carlo errors:")
print({name: round(float(max(map(abs, row))), 1) for name, row in z.items()})
assert max(abs(one) for row in z.values() for one in row) < 4.5  # 25 comparisons: about 1 false alarm in 1,000 seeds

# %% mystnb={"image": {"alt": "The risk of five mechanisms over epsilon; simulated points lie on the lines"}}
figure = new_figure(7.5, 4.2)
axes = figure.subplots()
x = [float(epsilon) for epsilon in epsilons]
for number, name in enumerate(NAMES):
    means, errors = np.transpose(found[name])
    axes.plot(x, closed[name], color=COLOURS[number], linewidth=1.2)
    axes.errorbar(
        x, means, 2 * errors, fmt=MARKERS[number], color=COLOURS[number], markersize=4.5, label=name.replace("_", " ")
    )
axes.set_yscale("log")
axes.legend(fontsize=8, frameon=False)
plain(
    axes,
    x_label="epsilon",
    y_label="n x squared error",
    title=f"{k} values: closed forms (lines), simulation ± 2 Monte-Carlo errors",
)
save(figure, folder / "risk.svg")
SVG(folder / "risk.svg")

# %% [markdown]
# And over $k$, at epsilon 1, as multiples of the optimum. Randomized response falls behind in proportion to $k$.
# Hadamard and unary responses stay within a constant factor. Projective designs exist at certain sizes, the next
# larger one serves for those between, and from 12 values on they are within 5 %.

# %% mystnb={"image": {"alt": "The risk of four mechanisms over the optimum, against the number of values"}}
sizes = [4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128]
ratios = {
    name.replace("_", " "): [
        risk(dc.mechanism(uniform(size, "1"), name)) / dc.bounds.unbiased_uniform(size, epsilon=1).value
        for size in sizes
    ]
    for name in ("randomized_response", "hadamard", "unary", "projective")
}
panel = {"title": "", "x": sizes, "series": ratios}
plot_curves(
    [panel],
    folder / "sizes.svg",
    x_label="values",
    y_label="risk over the optimum",
    log_x=True,
    log_y=True,
    title="At epsilon 1",
)
assert max(ratios["projective"][3:]) < 1.05
assert max(ratios["unary"][5:]) < 1.2
assert ratios["randomized response"][-1] > 10
SVG(folder / "sizes.svg")

# %% [markdown]
# ## What nobody can beat
#
# `dc.bounds.compare` sets a mechanism beside two kinds of bound: one at given shares, for unbiased estimates, and
# minimax bounds, for every estimate and the worst shares. Each names its source.

# %%
print(dc.bounds.compare(made["projective"][1], 10_000))

# %% [markdown]
# **Information.** One report under epsilon-LDP says at most $\log\frac{e^\varepsilon - 1}{\varepsilon} +
# \frac{\varepsilon}{e^\varepsilon - 1} - 1 \le \varepsilon^2/8$ nats about a value, whatever the mechanism and the
# prior. The exact optimum for $k$ equally likely values comes from the best subset size, and a mechanism has its own
# mutual information below that.

# %%
even = [1 / k] * k
print("epsilon  hadamard  optimum of 32 values  ceiling  epsilon^2/8   (nats)")
for at, epsilon in enumerate(epsilons):
    chain = dc.bounds.information_chain(k, epsilon=float(epsilon))
    own = dc.bounds.mutual_information(made["hadamard"][at], even)
    print(f"{epsilon:>7}  {own:8.4f}  {chain.exact:20.4f}  {chain.ceiling:7.4f}  {chain.quadratic:11.4f}")
    assert own <= chain.exact <= chain.ceiling <= chain.quadratic

# %% [markdown]
# **Contraction.** A private channel brings any two distributions closer together: by at least the factor
# $\tanh^2(\varepsilon/2)$ in KL divergence and $\tanh(\varepsilon/2)$ in total variation (Asoodeh2021). Random pairs
# of distributions stay below the coefficient of the channel, and that below the bound.

# %%
response = dc.mechanism(uniform(4, "1"), "randomized_response")
Q = np.array([[float(entry) for entry in row] for row in response.channel()])
eta, limit = dc.bounds.eta_kl(response), dc.bounds.kl_contraction(1)
P0, P1 = np.random.default_rng(5).dirichlet([0.5] * 4, (2, 5000))


def divergence(p, q):
    """KL divergence, row by row."""
    return (p * np.log(p / q)).sum(axis=1)


ratio = divergence(P0 @ Q, P1 @ Q) / divergence(P0, P1)
print(f"largest of 5,000 pairs {ratio.max():.4f} <= this channel {eta:.4f} <= every channel at epsilon 1 {limit:.4f}")
assert ratio.max() <= eta <= limit
assert math.isclose(limit, math.tanh(0.5) ** 2)

# %% [markdown]
# ## The best channel for a matrix of your own
#
# A matrix E need have no structure: here is one for six values that is not even symmetric. `"inf"` asks for nothing
# by itself; what the other entries imply, here 2.5, still holds. Most closed forms serve it by hiding more than it
# asks for. `dc.design` searches all channels in the cone $r_x \le e^{E[x,z]} r_z$ and, up to eight values, prices
# every extreme ray: then the gap to the best possible is proved, whatever the search did.

# %% mystnb={"image": {"alt": "The matrix E, the designed channel and the search that found it"}}
E = [
    [0, "0.5", 1, 2, 2, "inf"],
    ["0.5", 0, "0.5", 1, 2, 2],
    [1, "0.5", 0, "0.5", 1, 2],
    [2, 1, "0.5", 0, "0.5", 1],
    [2, 2, 1, "0.5", 0, "0.7"],
    [1, 2, 2, 1, "0.7", 0],
]
own = dc.Context.matrix(["a", "b", "c", "d", "e", "f"], E)
assert own.closure().epsilon("a", "f") == Fraction(5, 2)  # by way of the others
designed = dc.design(own)
print(designed)
assert designed.gap < 1e-6
assert designed.gain > 1.5  # the best closed form needs so many times the people
plot_design(designed, folder / "design.svg")
SVG(folder / "design.svg")

# %% [markdown]
# The search works with floating-point numbers and decides nothing about privacy. Its result is rounded to whole units
# of $2^{-64}$ and then certified like any other mechanism.

# %%
print(dc.verify(designed.mechanism))

# %% [markdown]
# ## Channels are exact
#
# `mechanism.channel()` is the law that the sampler runs, as fractions. Rows add up to one, not nearly but exactly,
# and the largest ratio of likelihoods is a fraction below $e^\varepsilon$. No logarithm is taken to decide that: the
# comparison is with a rational number that is provably below $e$.

# %%
channel = response.channel()
assert all(sum(row) == 1 for row in channel)
largest = max(x / z for column in zip(*channel, strict=True) for x in column for z in column)
below_e = sum(Fraction(1, math.factorial(i)) for i in range(30))  # a partial sum of the series of e: below it
print("truth:", channel[0][0], "\nlie:  ", channel[0][1])
print(f"largest ratio: e less {float(below_e - largest):.1e}")
assert largest < below_e
assert largest == dc.verify(response).ratio

# %% [markdown]
# Operations keep exactness. Two reports of one value satisfy the sum of their contexts, and the joint channel has
# exactly the square of the ratio:

# %%
twice = dc.compose(response, response)
assert twice.context.epsilon(0, 1) == 2
pairs = [[a * b for a in row for b in row] for row in channel]
certificate = dc.verify(pairs, context=uniform(4, "2"))
print(certificate)
assert certificate.ratio == largest**2

# %% [markdown]
# ## What a test can do
#
# Somebody sees one report and must say whether it came from $x$ or from $z$. E bounds the errors of every test; the
# likelihood-ratio tests of a channel attain the boundary of its own region (Neyman and Pearson), whose corners are
# fractions. A simulated test lands on the corner:

# %% mystnb={"image": {"alt": "False alarms against missed detections: the corner of the best test"}}
binary = dc.mechanism(dc.Context.binary("no", "yes", epsilon=("0.5", "2")))
region = dc.bounds.attained_region(binary, "no", "yes")
rng, trials = dc.random.seeded(7), 200_000
no, yes = (binary.randomize_indices(np.full(trials, x), rng) for x in (0, 1))
speaks_for_no = [p > q for p, q in zip(*binary.channel(), strict=True)].index(True)
measured = np.array([np.mean(yes == speaks_for_no), np.mean(no != speaks_for_no)])  # false alarm, missed detection
corner = np.array([float(error) for error in region.vertices[1]])
print("corner", corner.round(4), "measured", measured.round(4))
assert (abs(measured - corner) < 5 * np.sqrt(corner * (1 - corner) / trials)).all()
plot_error_region(region, folder / "region.svg", title="Telling 'no' from 'yes' by one report")
SVG(folder / "region.svg")

# %% [markdown]
# ## A black box, attacked
#
# Somebody hands over a sampler without its source: randomized response on four values, said to have epsilon 1.
# `dc.audit` asks it for many reports of known values, searches one half of them for an event that tells two values
# apart, and bounds its probabilities on the other half by Clopper and Pearson. The result is a lower bound on epsilon
# that holds with a confidence of $1 - 10^{-6}$. One of these two tells the truth a little too often, with probability
# 1/2 in place of 0.4754; its epsilon is $\log 3 = 1.0986$.

# %%
noise = np.random.default_rng(11)


def sampler(truth):
    """Four-ary randomized response that tells the truth with this probability."""

    def many(value, count):
        other = (value + noise.integers(1, 4, count)) % 4
        return np.where(noise.random(count) < truth, value, other).astype(np.uint8)[:, None]

    return Bulk(many)


claim = uniform(4, "1")
honest = dc.audit(sampler(math.e / (math.e + 3)), context=claim, samples=400_000)
planted = dc.audit(sampler(0.5), context=claim, samples=400_000)
print(f"honest:  at least {honest.epsilon_lower:.4f}, breach {honest.breach}")
print(f"planted: at least {planted.epsilon_lower:.4f}, breach {planted.breach}")
print(planted)
assert planted.breach
assert 1 < planted.epsilon_lower < math.log(3)
assert not honest.breach

# %% [markdown]
# That no breach was found proves nothing; how near the bound comes to the claim says how hard the audit looked. The
# honest sampler above, by the way, would not get a certificate here: it compares floating-point numbers. A proof
# needs the integers.
#
# ## A new mechanism
#
# Ages in bands, hidden the better the nearer: $E[x, z] = |x - z|/2$. A truncated geometric law with ratio $a$ between
# neighbours has $\log(1/a)$ for each step, exactly, if $a$ is a fraction. With $a = 17/28$ that is just below 1/2,
# and with the rounder 3/5 just above.

# %%
line = dc.Context.metric(range(8), lambda x, z: abs(x - z), epsilon="0.5")


def geometric_rows(a, size=8):
    """Q(y | x) in proportion to a^|x - y|, with what falls off the ends kept at the ends: exact fractions."""
    ends = {0, size - 1}
    return [[a ** abs(x - y) * (1 if y in ends else 1 - a) / (1 + a) for y in range(size)] for x in range(size)]


rows = geometric_rows(Fraction(17, 28))
assert all(sum(row) == 1 for row in rows)
print(dc.verify(rows, context=line))
try:
    dc.verify(geometric_rows(Fraction(3, 5)), context=line)
except dc.errors.PrivacyViolation as refused:
    print("refused:", refused)
else:
    raise AssertionError("a table that leaks was certified")

# %% [markdown]
# As a mechanism the table is rounded to whole words, certified again, and has an unbiased estimate at once.
# `check_mechanism` runs the laws that every mechanism of the package keeps; among others it runs the sampler over
# *all* words of small word spaces and counts.

# %%
mine = dc.mechanism(line, "table", rows=[[str(entry) for entry in row] for row in rows])
laws = check_mechanism(mine)
print(f"{len(laws)} laws kept:", ", ".join(laws))

# %% [markdown]
# Is it any good? Beside the built-in geometric mechanism, which takes all of epsilon, and the designed optimum with
# its bound:

# %%
best = dc.design(line)
print(f"{'my table':18}{risk(mine):9.2f}")
print(f"{'geometric':18}{risk(dc.mechanism(line, 'geometric')):9.2f}")
print(f"{'designed':18}{best.error:9.2f}   {best.label}")
print(f"{'no mechanism below':18}{best.bound:9.2f}")
assert best.bound <= best.error <= risk(dc.mechanism(line, "geometric")) <= risk(mine)

# %% [markdown]
# ## What to take away
#
# - Put Monte-Carlo errors beside simulated ones, and closed forms beside both.
# - Say which bound you compare with: at given shares or at the worst, for unbiased estimates or for all.
# - Certificates prove laws, audits attack code. Use both, and plant a fault to see that the audit can find one.
#
# The next steps: [bounds](../explanation/bounds.md), [proofs](../proofs/lower-bounds.md),
# [design](../how-to/design-for-your-own-e.md), [audits](../how-to/audit.md), [the conformance
# suite](../how-to/check-a-mechanism.md), [a mechanism of your own in the package](../how-to/add-a-mechanism.md).

"""The programs that `peers` runs, each in an environment of its own: what is asked of a library, in its own words."""

EACH = """
k, n, repeats = (int(given) for given in sys.argv[1:])
values = [i * 7919 % k for i in range(n)]
shares = [0.0] * k
for x in values:
    shares[x] += 1 / n
decode = None
PROGRAM
def spent(work, *given):
    start = time.process_time()
    made = work(*given)
    return made, time.process_time() - start
spent(privatise)  # what is compiled is compiled by the first call
times, errors = {"privatise": [], "decode": []}, []
for _ in range(repeats):
    reports, took = spent(privatise)
    times["privatise"].append(took)
    if decode:
        found, took = spent(decode, reports)
        times["decode"].append(took)
        errors.append(n * sum((float(a) - b) ** 2 for a, b in zip(found, shares)))
middle = {part: sorted(took)[len(took) // 2] if took else 0 for part, took in times.items()}
print(json.dumps(middle | {"error": sum(errors) / len(errors) if errors else 0, "memory": held()}))
"""
"""People with evenly spread values, `privatise()`, `decode(reports)`, and the median of a few repeats."""

OURS = """
import numpy as np
import discreet as dc
mechanism = dc.mechanism(dc.Context.uniform(range(k), epsilon="1"), "NAME")
indices = np.asarray(values)
def privatise():
    return mechanism.randomize_indices(indices, dc.random.secure())
def decode(reports):
    tally = mechanism.tally(reports)
    return FINISH
"""

PURE = """
from pure_ldp.frequency_oracles.hadamard_response import HadamardResponseClient, HadamardResponseServer
server = HadamardResponseServer(1.0, k, index_mapper=lambda x: x)
client = HadamardResponseClient(1.0, k, server.get_hash_funcs(), index_mapper=lambda x: x)
def privatise():
    return [client.privatise(x) for x in values]
def decode(reports):
    server.reset()
    for report in reports:
        server.aggregate(report)
    return server.estimate_all(range(k), suppress_warnings=True) / n
"""

MULTI_FREQ = """
from multi_freq_ldpy.pure_frequency_oracles.SS import SS_Aggregator_MI, SS_Client
def privatise():
    return [SS_Client(x, k, 1.0) for x in values]
def decode(reports):
    return SS_Aggregator_MI(reports, k, 1.0)
"""

FIRST = """
import math
IMPORT
for k, n in ((10, 200_000), (100, 200_000)):
    write = MAKE
    places = {x: [set.tolist().index(0) for set in (write(x) for _ in range(n)) if 0 in set] for x in (0, 1)}
    own, other = (places[x].count(0) for x in (0, 1))
    print(f"k = {k}: value 0 is first in {own} sets of its holders and in {other} of another's, of {n} each:",
          f"a ratio of e^{math.log(own / other):.2f};",
          f"it is elsewhere in {len(places[0]) - own} and {len(places[1]) - other}")
"""
"""How often a value is written first, and elsewhere, by those who hold it and by those who do not."""

OPENDP_RR = """
import math
import opendp.prelude as dp
dp.enable_features("contrib")
measure = dp.m.make_randomized_response(list(range(k)), prob=math.exp(1.0) / (math.exp(1.0) + k - 1))
def privatise():
    return [measure(x) for x in values]
"""

OPENDP_BITS = """
import math
import numpy as np
import opendp.prelude as dp
dp.enable_features("contrib")
f = 2 / (1 + math.exp(0.5))  # two bits differ between one value and another, each at half of epsilon
measure = dp.m.make_randomized_response_bitvec(dp.bitvector_domain(max_weight=1), dp.discrete_distance(), f=f)
width = -(-k // 8) * 8
def privatise():
    return [measure(np.packbits(np.arange(width) == x).tobytes()) for x in values]
def decode(reports):
    return [count / n for count in dp.m.debias_randomized_response_bitvec(reports, f)[:k]]
"""

LINE = """
import math, time
import numpy as np
from qif import mechanism
def run(name, k, d):
    even = np.full(k, 1 / k)
    start = time.process_time()
    C = np.asarray(mechanism.d_privacy.min_loss_given_d(even, k, d, d))
    took = time.process_time() - start
    used = C[:, C.sum(axis=0) > 1e-9]
    rank = np.linalg.matrix_rank(used, tol=1e-9)
    loss = sum(C[x, y] * d(x, y) for x in range(k) for y in range(k)) / k
    print(f"{name} of {k}: {took:.3f} s, mean distance {loss:.4f}, {used.shape[1]} reports of rank {rank}")
for k in (8, 16, 32, 64):
    run("line", k, lambda x, z: 0.5 * abs(x - z))
for side in (3, 4, 5):
    run("map", side**2, lambda x, z: 0.5 * math.dist(divmod(x, side), divmod(z, side)))
"""
"""The channel with the least expected distance under an arbitrary E, by a linear program."""

OUR_LINE = """
import time
import discreet as dc
def run(name, points, norm):
    context = dc.Context.metric(points, norm, epsilon="0.5")
    start = time.process_time()
    chosen = dc.explain(context).candidates[0]
    took = time.process_time() - start
    print(f"{name} of {len(points)}: {took:.3f} s, {chosen.name}, n x error {chosen.error:.4g}")
    start = time.process_time()
    found = dc.design(context, seconds=20)
    took, away = time.process_time() - start, found.expected_distance
    print(f"{name} of {len(points)}: {took:.3f} s, designed, n x error {found.error:.4g}, {found.label};",
          f"mean distance {away:.4f}" if away is not None else "")
for k in (8, 16, 32, 64):
    run("line", list(range(k)), lambda x, z: abs(x - z))
for side in (3, 4, 5):
    points = [(x, y) for x in range(side) for y in range(side)]
    run("map", points, "l2")
"""

TOOLBOX = """
from ldp_toolbox.protocols.frequency.ss import SubsetSelection
protocol = SubsetSelection(k, 1.0)
def privatise():
    return [protocol.obfuscate(x) for x in values]
def decode(reports):
    return protocol.estimate(reports)
"""

MULTI_FREQ_FIRST = FIRST.replace("IMPORT", MULTI_FREQ.splitlines()[1]).replace("MAKE", "lambda x: SS_Client(x, k, 1.0)")

TOOLBOX_FIRST = FIRST.replace("IMPORT", TOOLBOX.splitlines()[1]).replace("MAKE", "SubsetSelection(k, 1.0).obfuscate")

ONE = """
import time
k, n = 1000, 20_000
MAKE
write(1)
start, clock = time.process_time(), time.perf_counter()
for x in range(n):
    write(x % k)
used, took = time.process_time() - start, time.perf_counter() - clock
print(f"{1e6 * used / n:.1f} us of processor time a report, {1e6 * took / n:.1f} us by the clock")
"""
"""One report after the other, as a device would make them."""

PURE_ONE = ONE.replace("MAKE", PURE + "write = client.privatise")

OUR_ONE = ONE.replace(
    "MAKE",
    """
import discreet as dc
mechanism = dc.mechanism(dc.Context.uniform(range(k), epsilon="1"), "hadamard")
rng = dc.random.secure()
write = lambda x: mechanism.randomize(x, rng)
""",
)

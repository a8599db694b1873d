"""One person's report needs the standard library only: with everything else made unimportable, specs still serve."""

import importlib.util
import json
import subprocess
import sys
from pathlib import Path

import pytest

import discreet as dc
from discreet.mechanisms.build import BASES, OTHERS
from discreet.wire import Spec, law_text

COLLECTOR = Path(__file__).parent / "client" / "collector.py"
BLOCKED = ("numpy", "click", "cryptography", "tqdm", "scipy", "numba", "pyarrow", "pandas", "matplotlib")
BLOCK = """
import sys

class Refuse:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {blocked!r}:
            raise ModuleNotFoundError(f"No module named {{name!r}}", name=name)

sys.meta_path.insert(0, Refuse())
import discreet as dc
"""
CODE = (
    BLOCK
    + """
for path, value in zip(sys.argv[1::2], sys.argv[2::2], strict=True):
    mechanism = dc.Spec.read(path).mechanism
    assert dc.verify(mechanism).realised <= mechanism.certificate.claimed
    report = mechanism.randomize(mechanism.context.values[int(value)], dc.random.secure())
    assert mechanism.sampler.is_report(report)
    print(mechanism.fingerprint)
assert not set({blocked!r}) & set(sys.modules)
"""
)
FORM = (
    BLOCK
    + """
for path in sys.argv[1:]:
    form = dc.Form.read(path)
    answers = {{name: spec.context.values[0] for name, spec in form.questions.items()}}
    report = form.randomize(answers, dc.random.secure())
    assert form.report_from_json(form.report_to_json(report)) == report
    assert form.epsilon_between(answers, answers) == 0
    print(form.fingerprint)
assert not set({blocked!r}) & set(sys.modules)
"""
)
ANSWER = (
    BLOCK
    + """
url, ledger = sys.argv[1:]
client = dc.client.Client(ledger=ledger, cap="4")
collection = client.open(url)
assert collection.promise
answers = {{name: question.values[1] for name, question in collection.questions.items()}}
receipt = collection.answer(answers if collection.strategy else collection.value_of("3"))
assert (receipt.state, dc.Ledger.existing(ledger).spent) == ("accepted", 1)
print(receipt.sent)
assert not set({blocked!r}) & set(sys.modules)
"""
)
UNIFORM = {"domain": {"size": 7}, "context": {"form": "uniform", "epsilon": "1"}}
BLOCKS = {
    "context": {"form": "blocks", "epsilon": "1", "blocks": {"a": ["p", "q", "r"], "b": ["s"], "c": ["t", "u", "v"]}},
}
HIGH_LOW = {
    "domain": {"values": ["a", "b", "c", "d", "e"]},
    "context": {"form": "high_low", "sensitive": ["a", "c", "d"], "epsilon": "1"},
}
SPECS = {
    **{f"uniform {name}": {**UNIFORM, "mechanism": {"name": name}} for name in [*BASES, *OTHERS]},
    **{f"blocks {name}": {**BLOCKS, "mechanism": {"name": name}} for name in BASES},
    **{f"high-low {name}": {**HIGH_LOW, "mechanism": {"name": name}} for name in [*BASES, "utility_rappor"]},
    "binary": {
        "domain": {"values": ["no", "yes"]},
        "context": {"form": "binary", "epsilon": ["inf", "1"]},
        "mechanism": {"name": "mangat"},
    },
    "metric": {
        "domain": {"size": 3},
        "context": {"form": "metric", "points": [[0], [1], [3]], "epsilon": "0.5"},
        "mechanism": {"name": "exponential"},
    },
}


def run(*arguments: str, code: str = CODE) -> subprocess.CompletedProcess[str]:
    code = code.format(blocked=BLOCKED)
    source = str(Path(dc.__file__).parents[1])
    environment = {"PYTHONPATH": source, "PATH": "/usr/bin:/bin"}
    return subprocess.run(
        [sys.executable, "-c", code, *arguments], env=environment, capture_output=True, text=True, check=False
    )


def test_named_resolved_and_published_specs_build_verify_and_randomize(tmp_path):
    arguments, expected = [], []
    for number, data in enumerate(SPECS.values()):
        mechanism = Spec.of(data).mechanism
        forms = {
            f"named{number}.json": json.dumps(data),
            f"written{number}.toml": Spec.of_mechanism(mechanism).to_toml(),
            f"resolved{number}.toml": Spec.of(data).resolved().to_toml(),
            f"law{number}.json": law_text(mechanism),
        }
        for name, text in forms.items():
            (tmp_path / name).write_text(text, encoding="utf-8")
            arguments += [str(tmp_path / name), str(number % mechanism.context.size)]
            expected.append(mechanism.fingerprint)
    done = run(*arguments)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.split() == expected


def test_a_form_gives_reports_by_every_strategy(tmp_path):
    arguments, expected = [], []
    for strategy in ("one at random", "each", "together"):
        form = dc.Form({"a": range(3), "b": ["no", "yes"]}, strategy, epsilon="1").resolved()
        arguments.append(str(tmp_path / f"{strategy}.toml"))
        form.write(arguments[-1])
        expected.append(form.fingerprint)
    done = run(*arguments, code=FORM)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.split() == expected


def test_what_auto_chose_is_served_once_it_is_resolved(tmp_path):
    for number, context in enumerate((dc.Context.uniform(range(300), "1"), dc.Context.high_low(range(9), [1, 2], "2"))):
        Spec.of_mechanism(dc.mechanism(context)).write(tmp_path / f"{number}.toml")
    done = run(str(tmp_path / "0.toml"), "299", str(tmp_path / "1.toml"), "1")
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("strategy", [None, "one at random", "each", "together"])
def test_a_person_takes_part_in_a_collection(tmp_path, strategy):
    spec = importlib.util.spec_from_file_location("tests_client_collector", COLLECTOR)
    module = sys.modules[spec.name] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    if strategy is None:
        law = dc.mechanism(dc.Context.uniform(range(7), "1"), "subset")
    else:
        law = dc.Form({"a": range(7), "b": ["no", "yes"]}, strategy, epsilon="1")
    collector = module.Collector(law)
    with collector.serving() as url:
        done = run(url, str(tmp_path / "ledger.jsonl"), code=ANSWER)
    assert (done.returncode, done.stderr) == (0, "")
    assert [body.decode() for body in collector.uploads.values()] == [done.stdout.strip()]


def test_auto_says_that_it_needs_numpy(tmp_path):
    (tmp_path / "auto.json").write_text(json.dumps(UNIFORM))
    done = run(str(tmp_path / "auto.json"), "0")
    assert done.returncode == 1
    assert "NotServed" in done.stderr
    assert "mechanism='auto' compares mechanisms with numpy, which is not installed" in done.stderr


@pytest.mark.parametrize("module", ["numpy", "click"])
def test_the_control_a_module_that_is_blocked_cannot_be_imported(module):
    source = f"import sys\nexec({CODE.format(blocked=BLOCKED)!r})\nimport {module}"
    done = subprocess.run([sys.executable, "-c", source], capture_output=True, text=True, check=False)
    assert "ModuleNotFoundError" in done.stderr

import inspect
import subprocess
import sys

from discreet import bounds
from discreet.theory.channels.finite import lower, upper


def test_every_public_name_is_sorted_and_documented():
    assert bounds.__all__ == sorted(bounds.__all__)
    for name in bounds.__all__:
        public = getattr(bounds, name)
        assert inspect.isfunction(public) or inspect.isclass(public)
        assert inspect.getdoc(public)


def test_defaults_are_keyword_only():
    for name in bounds.__all__:
        public = getattr(bounds, name)
        if inspect.isfunction(public):
            for parameter in inspect.signature(public).parameters.values():
                if parameter.default is not parameter.empty:
                    assert parameter.kind is parameter.KEYWORD_ONLY, name


def test_scipy_is_loaded_only_when_a_bound_needs_it():
    code = "import sys, discreet.theory as t; assert 'scipy' not in sys.modules; t.eta_kl([[.2, .8], [.5, .5]]); "
    code += "assert 'scipy' in sys.modules"
    assert subprocess.run([sys.executable, "-c", code], env={"PYTHONPATH": ":".join(sys.path)}).returncode == 0


def test_a_bound_that_says_nothing_more_than_the_definition_is_vacuous():
    assert lower("x", 0.0, "source").vacuous
    assert lower("x", -1.0, "source").value == 0
    assert not lower("x", 0.1, "source").vacuous
    assert upper("x", 1.0, "source", trivial=1.0).vacuous
    assert not upper("x", 0.9, "source", trivial=1.0).vacuous

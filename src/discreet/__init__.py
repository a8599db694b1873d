"""Context-aware local differential privacy: exact mechanisms, honest estimates.

>>> import discreet as dc
>>> context = dc.Context.blocks({"boston": ["b1", "b2"], "nyc": ["n1", "n2", "n3"]}, epsilon="1")
>>> mechanism = dc.mechanism(context)
>>> tally = mechanism.tally([mechanism.randomize("b1", dc.random.secure()) for _ in range(100)])
>>> float(dc.estimate(tally).block_totals["boston"])
1.0
"""

import sys
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from . import bounds, checks, errors, geo, random, spark
    from .audit import Audit, audit
    from .choose import Explanation, explain, mechanism
    from .context import Context
    from .domain import Domain
    from .estimate import Estimate, estimate
    from .likelihood import Likelihood, likelihood
    from .mechanisms.compose import compose
    from .mechanisms.mechanism import Mechanism
    from .mechanisms.post_process import post_process
    from .plan import Plan, plan
    from .project import Projected, project
    from .shrink import Shrunk, shrink
    from .tally import Tally
    from .verify import Certificate, verify
    from .wire import Spec

_HOMES = {
    "Audit": "audit",
    "Certificate": "verify",
    "Context": "context",
    "Domain": "domain",
    "Estimate": "estimate",
    "Explanation": "choose",
    "Likelihood": "likelihood",
    "Mechanism": "mechanisms.mechanism",
    "Plan": "plan",
    "Projected": "project",
    "Shrunk": "shrink",
    "Spec": "wire",
    "Tally": "tally",
    "audit": "audit",
    "bounds": "bounds",
    "checks": "checks",
    "compose": "mechanisms.compose",
    "errors": "errors",
    "estimate": "estimate",
    "explain": "choose",
    "geo": "geo",
    "likelihood": "likelihood",
    "mechanism": "choose",
    "plan": "plan",
    "post_process": "mechanisms.post_process",
    "project": "project",
    "random": "random",
    "shrink": "shrink",
    "spark": "spark",
    "verify": "verify",
}
"""Where each public name lives; modules are imported when first asked for."""

_MODULES = {"bounds", "checks", "errors", "geo", "random", "spark"}

__all__ = [
    "Audit",
    "Certificate",
    "Context",
    "Domain",
    "Estimate",
    "Explanation",
    "Likelihood",
    "Mechanism",
    "Plan",
    "Projected",
    "Shrunk",
    "Spec",
    "Tally",
    "audit",
    "bounds",
    "checks",
    "compose",
    "errors",
    "estimate",
    "explain",
    "geo",
    "likelihood",
    "mechanism",
    "plan",
    "post_process",
    "project",
    "random",
    "shrink",
    "spark",
    "verify",
]
__version__ = "0.1.0"


class _Facade(ModuleType):
    """The package itself: importing ``discreet.estimate`` leaves `discreet.estimate` the function."""

    def __setattr__(self, name: str, value: object) -> None:
        if not (isinstance(value, ModuleType) and name in _HOMES and name not in _MODULES):
            super().__setattr__(name, value)


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'discreet' has no attribute {name!r}")
    module = import_module(f".{_HOMES[name]}", __name__)
    found = module if name in _MODULES else getattr(module, name)
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])


sys.modules[__name__].__class__ = _Facade

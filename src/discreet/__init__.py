"""Context-aware local differential privacy: exact mechanisms, honest estimates.

>>> import discreet as dc
>>> context = dc.Context.blocks({"boston": ["b1", "b2"], "nyc": ["n1", "n2", "n3"]}, epsilon="1")
>>> mechanism = dc.mechanism(context)
>>> tally = mechanism.tally([mechanism.randomize("b1", dc.random.secure()) for _ in range(100)])
>>> float(dc.estimate(tally).block_totals["boston"])
1.0
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from . import bounds, by_hand, checks, client, errors, geo, limits, random, spark
    from .accounting import Ledger
    from .accounting.exposing import Exposure, exposure
    from .accounting.repetition import Repeated, repeated
    from .accounting.shuffling import Shuffled, batch_needed, shuffled
    from .analysis.categorical import Model, model
    from .analysis.comparison import Comparison, compare
    from .analysis.evading import Evasion, evasion
    from .analysis.form_shares import Margins, margins
    from .analysis.group_tallies import GroupTallies
    from .analysis.joint_table import Cross, cross
    from .analysis.predictor import Relation, relate
    from .analysis.regression import Regression, regress
    from .analysis.screening import Screening, screen
    from .analysis.survey import Survey
    from .auditing import Audit, audit
    from .build import mechanism
    from .certificate import Certificate, verify
    from .choose import explain
    from .context import Context
    from .designing import Designed, design
    from .domain import Domain
    from .explanation import Explanation
    from .mechanisms.adaptive import adaptive
    from .mechanisms.compose import compose
    from .mechanisms.mechanism import Mechanism
    from .mechanisms.post_process import post_process
    from .planning import Plan, plan
    from .publishing import Release, release
    from .results.cumulative import Cumulative, Quantile
    from .results.likelihood import Likelihood, likelihood
    from .results.projection import Projected, project
    from .results.shares import Query, Shares
    from .results.shrinking import Shrunk, shrink
    from .results.unbiased import Estimate, estimate
    from .tally import Tally
    from .wire import Form, Spec

_HOMES = {
    "Audit": "auditing",
    "Certificate": "certificate",
    "Comparison": "analysis.comparison",
    "Context": "context",
    "Cross": "analysis.joint_table",
    "Cumulative": "results.cumulative",
    "Designed": "designing",
    "Domain": "domain",
    "Estimate": "results.unbiased",
    "Evasion": "analysis.evading",
    "Explanation": "explanation",
    "Exposure": "accounting.exposing",
    "Form": "wire",
    "GroupTallies": "analysis.group_tallies",
    "Ledger": "accounting",
    "Likelihood": "results.likelihood",
    "Margins": "analysis.form_shares",
    "Mechanism": "mechanisms.mechanism",
    "Model": "analysis.categorical",
    "Plan": "planning",
    "Projected": "results.projection",
    "Quantile": "results.cumulative",
    "Query": "results.shares",
    "Regression": "analysis.regression",
    "Relation": "analysis.predictor",
    "Release": "publishing",
    "Repeated": "accounting.repetition",
    "Screening": "analysis.screening",
    "Shares": "results.shares",
    "Shrunk": "results.shrinking",
    "Shuffled": "accounting.shuffling",
    "Spec": "wire",
    "Survey": "analysis.survey",
    "Tally": "tally",
    "adaptive": "mechanisms.adaptive",
    "audit": "auditing",
    "batch_needed": "accounting.shuffling",
    "bounds": "bounds",
    "by_hand": "by_hand",
    "checks": "checks",
    "client": "client",
    "compare": "analysis.comparison",
    "compose": "mechanisms.compose",
    "cross": "analysis.joint_table",
    "design": "designing",
    "errors": "errors",
    "estimate": "results.unbiased",
    "evasion": "analysis.evading",
    "explain": "choose",
    "exposure": "accounting.exposing",
    "geo": "geo",
    "likelihood": "results.likelihood",
    "limits": "limits",
    "margins": "analysis.form_shares",
    "mechanism": "build",
    "model": "analysis.categorical",
    "plan": "planning",
    "post_process": "mechanisms.post_process",
    "project": "results.projection",
    "random": "random",
    "regress": "analysis.regression",
    "relate": "analysis.predictor",
    "release": "publishing",
    "repeated": "accounting.repetition",
    "screen": "analysis.screening",
    "shrink": "results.shrinking",
    "shuffled": "accounting.shuffling",
    "spark": "spark",
    "verify": "certificate",
}
"""Where each public name lives; modules are imported when first used."""

_MODULES = {"bounds", "by_hand", "checks", "client", "errors", "geo", "limits", "random", "spark"}

__all__ = [
    "Audit",
    "Certificate",
    "Comparison",
    "Context",
    "Cross",
    "Cumulative",
    "Designed",
    "Domain",
    "Estimate",
    "Evasion",
    "Explanation",
    "Exposure",
    "Form",
    "GroupTallies",
    "Ledger",
    "Likelihood",
    "Margins",
    "Mechanism",
    "Model",
    "Plan",
    "Projected",
    "Quantile",
    "Query",
    "Regression",
    "Relation",
    "Release",
    "Repeated",
    "Screening",
    "Shares",
    "Shrunk",
    "Shuffled",
    "Spec",
    "Survey",
    "Tally",
    "adaptive",
    "audit",
    "batch_needed",
    "bounds",
    "by_hand",
    "checks",
    "client",
    "compare",
    "compose",
    "cross",
    "design",
    "errors",
    "estimate",
    "evasion",
    "explain",
    "exposure",
    "geo",
    "likelihood",
    "limits",
    "margins",
    "mechanism",
    "model",
    "plan",
    "post_process",
    "project",
    "random",
    "regress",
    "relate",
    "release",
    "repeated",
    "screen",
    "shrink",
    "shuffled",
    "spark",
    "verify",
]
__version__ = "0.1.0"


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'discreet' has no attribute {name!r}")
    module = import_module(f".{_HOMES[name]}", __name__)
    found = module if name in _MODULES else getattr(module, name)
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return __all__

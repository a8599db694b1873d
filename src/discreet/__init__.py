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
    from . import checks, client, geo, plots, wire
    from . import theory as bounds
    from .analysis.diagnostics.goodness_of_fit import GoodnessOfFit, goodness_of_fit
    from .analysis.diagnostics.noncompliance import Noncompliance, noncompliance
    from .analysis.groups.comparison import Comparison, compare
    from .analysis.regression.multinomial import Multinomial, multinomial
    from .analysis.regression.predictor import PredictorRegression, regress_on
    from .analysis.regression.regression import Regression, regress
    from .analysis.survey.survey import Survey
    from .analysis.tables.crosstab import Crosstab, crosstab
    from .auditing import Audit, audit
    from .bulk import spark
    from .bulk import words as random
    from .bulk.labelled.tallies import GroupTallies
    from .client.ledger.ledger import Ledger
    from .contexts import Context
    from .core import errors, limits
    from .core.domain import Domain
    from .core.numbers import NumberDomain
    from .estimation.results.cumulative import Cumulative, Quantile
    from .estimation.results.likelihood import Likelihood, likelihood
    from .estimation.results.projection import Projected, project
    from .estimation.results.shares import Query, Shares
    from .estimation.results.shrinking import Shrunk, shrink
    from .estimation.results.smoothing import Smoothed, smooth
    from .estimation.results.unbiased import Estimate, estimate
    from .estimation.tally import Tally
    from .leakage.repetition import Repeated, repeated
    from .leakage.shuffling import Shuffled, batch_needed, shuffled
    from .leakage.single_report import Exposure, exposure
    from .mechanisms import by_hand
    from .mechanisms.build import mechanism
    from .mechanisms.certificate import Certificate, verify
    from .mechanisms.composed.adaptive import adaptive
    from .mechanisms.composed.compose import compose
    from .mechanisms.composed.post_process import post_process
    from .mechanisms.mechanism import Mechanism
    from .planning import Plan, plan
    from .planning.choose import explain
    from .planning.design import Designed, design
    from .planning.explanation import Explanation
    from .publishing import Release, release
    from .questionnaires.margins import Margins, margins
    from .questionnaires.xlsform.reading import XLSForm, read_xlsform
    from .questionnaires.xlsform.writing import write_xlsform
    from .wire import Spec
    from .wire.form import Form

_HOMES = {
    "Audit": "auditing",
    "Certificate": "mechanisms.certificate",
    "Comparison": "analysis.groups.comparison",
    "Context": "contexts",
    "Crosstab": "analysis.tables.crosstab",
    "Cumulative": "estimation.results.cumulative",
    "Designed": "planning.design",
    "Domain": "core.domain",
    "Estimate": "estimation.results.unbiased",
    "Explanation": "planning.explanation",
    "Exposure": "leakage.single_report",
    "Form": "wire.form",
    "GoodnessOfFit": "analysis.diagnostics.goodness_of_fit",
    "GroupTallies": "bulk.labelled.tallies",
    "Ledger": "client.ledger.ledger",
    "Likelihood": "estimation.results.likelihood",
    "Margins": "questionnaires.margins",
    "Mechanism": "mechanisms.mechanism",
    "Multinomial": "analysis.regression.multinomial",
    "Noncompliance": "analysis.diagnostics.noncompliance",
    "NumberDomain": "core.numbers",
    "Plan": "planning",
    "PredictorRegression": "analysis.regression.predictor",
    "Projected": "estimation.results.projection",
    "Quantile": "estimation.results.cumulative",
    "Query": "estimation.results.shares",
    "Regression": "analysis.regression.regression",
    "Release": "publishing",
    "Repeated": "leakage.repetition",
    "Shares": "estimation.results.shares",
    "Shrunk": "estimation.results.shrinking",
    "Shuffled": "leakage.shuffling",
    "Smoothed": "estimation.results.smoothing",
    "Spec": "wire",
    "Survey": "analysis.survey.survey",
    "Tally": "estimation.tally",
    "XLSForm": "questionnaires.xlsform.reading",
    "adaptive": "mechanisms.composed.adaptive",
    "audit": "auditing",
    "batch_needed": "leakage.shuffling",
    "bounds": "theory",
    "by_hand": "mechanisms.by_hand",
    "checks": "checks",
    "client": "client",
    "compare": "analysis.groups.comparison",
    "compose": "mechanisms.composed.compose",
    "crosstab": "analysis.tables.crosstab",
    "design": "planning.design",
    "errors": "core.errors",
    "estimate": "estimation.results.unbiased",
    "explain": "planning.choose",
    "exposure": "leakage.single_report",
    "geo": "geo",
    "goodness_of_fit": "analysis.diagnostics.goodness_of_fit",
    "likelihood": "estimation.results.likelihood",
    "limits": "core.limits",
    "margins": "questionnaires.margins",
    "mechanism": "mechanisms.build",
    "multinomial": "analysis.regression.multinomial",
    "noncompliance": "analysis.diagnostics.noncompliance",
    "plan": "planning",
    "plots": "plots",
    "post_process": "mechanisms.composed.post_process",
    "project": "estimation.results.projection",
    "random": "bulk.words",
    "read_xlsform": "questionnaires.xlsform.reading",
    "regress": "analysis.regression.regression",
    "regress_on": "analysis.regression.predictor",
    "release": "publishing",
    "repeated": "leakage.repetition",
    "shrink": "estimation.results.shrinking",
    "shuffled": "leakage.shuffling",
    "smooth": "estimation.results.smoothing",
    "spark": "bulk.spark",
    "verify": "mechanisms.certificate",
    "wire": "wire",
    "write_xlsform": "questionnaires.xlsform.writing",
}
"""Where each public name lives; modules are imported when first used."""

_MODULES = {
    "bounds",
    "by_hand",
    "checks",
    "client",
    "errors",
    "geo",
    "limits",
    "plots",
    "random",
    "spark",
    "wire",
}

__all__ = [
    "Audit",
    "Certificate",
    "Comparison",
    "Context",
    "Crosstab",
    "Cumulative",
    "Designed",
    "Domain",
    "Estimate",
    "Explanation",
    "Exposure",
    "Form",
    "GoodnessOfFit",
    "GroupTallies",
    "Ledger",
    "Likelihood",
    "Margins",
    "Mechanism",
    "Multinomial",
    "Noncompliance",
    "NumberDomain",
    "Plan",
    "PredictorRegression",
    "Projected",
    "Quantile",
    "Query",
    "Regression",
    "Release",
    "Repeated",
    "Shares",
    "Shrunk",
    "Shuffled",
    "Smoothed",
    "Spec",
    "Survey",
    "Tally",
    "XLSForm",
    "adaptive",
    "audit",
    "batch_needed",
    "bounds",
    "by_hand",
    "checks",
    "client",
    "compare",
    "compose",
    "crosstab",
    "design",
    "errors",
    "estimate",
    "explain",
    "exposure",
    "geo",
    "goodness_of_fit",
    "likelihood",
    "limits",
    "margins",
    "mechanism",
    "multinomial",
    "noncompliance",
    "plan",
    "plots",
    "post_process",
    "project",
    "random",
    "read_xlsform",
    "regress",
    "regress_on",
    "release",
    "repeated",
    "shrink",
    "shuffled",
    "smooth",
    "spark",
    "verify",
    "wire",
    "write_xlsform",
]
__version__ = "0.1.0"


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'discreet' has no attribute {name!r}")
    module = import_module(f".{_HOMES[name]}", __name__)
    loaded = module if name in _MODULES else getattr(module, name)
    globals()[name] = loaded
    return loaded


def __dir__() -> list[str]:
    return __all__

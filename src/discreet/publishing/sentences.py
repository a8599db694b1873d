"""The sentences of a release report, each of which must be true where it stands: they follow from E and the result."""

from __future__ import annotations

from collections.abc import Sequence

from ..client.promise import COST, hidden_counts, promise
from ..contexts import Context
from .findings import Findings, influence

DEVICE, FILE = "device", "file"
"""Where answers were randomized: by the people themselves, or by whoever held them all."""

METHODS = {
    True: "These shares accept a small bias in exchange for a smaller error overall.",
    False: "These shares are right on average: over many surveys like this one, their errors cancel out. Some may be "
    "negative, and they need not add up to 100 %.",
}
ESTIMATES = "These estimates are right on average: over many surveys like this one, their errors cancel out."


def opening(context: Context, randomized: str | None) -> str:
    """How the answers were randomized, as far as it is known and as far as the context goes."""
    if context.tightest is None:
        return "Answers were counted as they are: nothing was promised."
    all_hidden = min(hidden_counts(context)) > 0
    if randomized == DEVICE:
        how = "each answer was randomized on the person's own device"
        if not all_hidden:
            how = "as far as the promise below goes, answers were randomized on people's own devices"
        return (
            f"What was collected are reports, not answers: {how}, and the numbers below were recovered from all "
            "reports together."
        )
    how = "each answer was randomized{} before it was counted"
    if not all_hidden:
        how = "as far as the promise below goes, answers were randomized{} before they were counted"
    recovered = "The numbers below were recovered from reports, all of them together"
    if randomized == FILE:
        return (
            f"{recovered}: {how.format(' by whoever held all of them,')}. What is promised holds against those who see "
            "the reports or this page, and not against whoever held the answers."
        )
    return f"{recovered}: {how.format('')}."


def opening_of(contexts: Sequence[Context], randomized: str | None) -> str:
    """The same of several questions: what is true of all of them."""
    partly = [one for one in contexts if one.tightest is None or min(hidden_counts(one)) == 0]
    some = next((one for one in partly if one.tightest is not None), None)
    if partly and some is None and len(partly) < len(contexts):
        return "Answers to some questions were counted as they are; the promise below says which of them were hidden."
    return opening(some or contexts[0], randomized)


def promised(context: Context, words: dict[str, str]) -> list[str]:
    """What people were promised of one answer."""
    sentences = promise(context, "refuse", words)
    return [sentence for sentence in sentences if not sentence.startswith(COST)]


def method(found: Findings) -> str:
    """What can be said of the numbers by how they were made."""
    return METHODS[found.biased] if found.unit == "share" and not found.difference else ESTIMATES


INSECURE = "These reports are for trial only: a seed drew some of them, and whoever knows it can undo them."


def caveats(found: Findings, confidence: float) -> list[str]:
    """What the numbers do not say."""
    lines = [f"Each interval contains the truth with {100 * confidence:.4g} % confidence; of many, some will miss it."]
    estimates = [one or 0.0 for panel in found.panels for one in panel.numbers["estimate"] or ()]
    if not found.biased and not found.difference and found.unit == "share" and min(estimates) < 0:
        lines.append("A negative share means that there were too few reports to tell it from 0.")
    if found.difference:
        lines.append(
            "If its interval contains 0, a difference may be chance; an adjusted p accounts for all of them together."
        )
    return [
        *([INSECURE] if found.insecure else []),
        *lines,
        "The intervals cover chance: in who was asked, and in the randomization. They do not cover people who did not "
        "answer, or not truthfully.",
        f"{unchecked(found.mechanism.context)}. One fake report can count as up to {influence(found):.3g} people for "
        "one answer.",
        "If the same people take part in another survey, the two together reveal more about them than each alone.",
    ]


def unchecked(context: Context) -> str:
    """Why nobody could check what people answered, by what a report shows of an answer."""
    if context.tightest is None:
        return "Whether answers are true was not checked"
    if not context.shows:
        return "No report tells its answer, so no answer could be checked"
    counts, parts = hidden_counts(context), context.parts or ()
    if min(counts) == 0:
        return "Some answers may show in their reports, the others do not, and whether any is true was not checked"
    if len(parts) > 1:
        return "Every report tells the group of its answer, but not the answer, so no answer could be checked"
    return "A report may tell for certain what its answer is not, but not what it is, so no answer could be checked"


def caption(found: Findings) -> str:
    """How to read the picture."""
    if found.mechanism.context.tightest is None:
        return "The dot is the estimate, and the bar its interval: the uncertainty from the size of the sample."
    if all(panel.numbers["sampling_stderr"] is not None and panel.numbers["low"] is not None for panel in found.panels):
        return (
            "The dot is the estimate. The dark part of its interval is the uncertainty from the size of the sample, "
            "the pale part is what the randomization adds."
        )
    return "The dot is the estimate, and the bar its interval: uncertainty from the sample and from the randomization."

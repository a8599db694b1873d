"""Pair profiles: for each kind of law, how two values write reports against a blanket of other users."""

from .posterior import PosteriorRange
from .profile import Profile
from .registry import PROFILES, profile_of
from .rows import Blanket, ReportGroup

__all__ = ["PROFILES", "Blanket", "PosteriorRange", "Profile", "ReportGroup", "profile_of"]

"""Days, without a time."""

import pytest

from discreet.collector.store.sql.rows import check_day
from discreet.core.errors import InvalidInput


def test_a_day_of_the_calendar_is_taken():
    check_day("day", "2024-02-29")


@pytest.mark.parametrize("day", ["2026-02-29", "2026-1-5", "20260105", "2026-01-05T10:00", "2026-W01-1", "", 5, None])
def test_anything_else_is_refused(day):
    with pytest.raises(InvalidInput, match="must be a day such as"):
        check_day("day", day)

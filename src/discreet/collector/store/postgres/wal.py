"""PostgreSQL's own journal (`pg_wal`) without what was forgotten, as far as the server lets us.

Its files hold what was written, reports too, until they are written over. A checkpoint lets the server drop those that
it needs no longer; some it does not delete but keeps under the names of files to come, with their old bytes. To switch
to the next file fills the rest of this one with zeros; so switching until all files to come are left writes over them.
"""

from __future__ import annotations

from ...logs import event
from .connections import NotAllowed, PostgresConnection

TO_COME = (
    "SELECT COUNT(*) FROM pg_ls_waldir() WHERE name ~ '^[0-9A-F]{24}$' AND name > pg_walfile_name(pg_current_wal_lsn())"
)
"""The files of the journal that are there for later."""


def clear(db: PostgresConnection) -> bool:
    """Write over what the journal held until now; False, and a line in the log, if this role may not.

    What a replication slot, `wal_keep_size` or an archive holds back is not reached.
    """
    try:
        _switch(db)
        db.execute("CHECKPOINT")
        ((count,),) = db.execute(TO_COME).fetchall()
        for _ in range(count + 1):  # out of this one, and out of each that is to come
            _switch(db)
        return True
    except NotAllowed:
        event("PostgreSQL's journal holds forgotten reports until the server writes over it: this role may not")
        return False


def _switch(db: PostgresConnection) -> None:
    """Go on in another file; nothing happens unless something was written to this one."""
    db.execute("SELECT pg_logical_emit_message(false, 'discreet', '')")
    db.execute("SELECT pg_switch_wal()")

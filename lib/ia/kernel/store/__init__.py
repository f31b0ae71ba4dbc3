"""SQLite, in two kinds: `.ia/ia.db` is precious (what is no text), `.ia/cache/*.db` can be rebuilt at any time.

A rebuildable database of another version, or a broken one, is thrown away; a precious one never is: it is migrated
forward, and one that a newer ia wrote is refused. One that is dear to rebuild is never thrown away either, but a
damaged one can be put aside. In a workspace that may not be written, what is there is opened for reading only.
"""

from ia.kernel.store.engine import (
    connect,
    discard_database,
    is_writable,
    make_folder,
    open_in_memory,
    set_aside_database,
)
from ia.kernel.store.failures import (
    Damaged,
    explain_sqlite_error,
    is_busy,
    is_damaged,
    is_out_of_space,
    translate_errors,
)
from ia.kernel.store.schema import PRECIOUS, Schema
from ia.kernel.store.transactions import import_sqlite_utils, insert_rows, transaction

__all__ = [
    "PRECIOUS",
    "Damaged",
    "Schema",
    "connect",
    "discard_database",
    "explain_sqlite_error",
    "import_sqlite_utils",
    "insert_rows",
    "is_busy",
    "is_damaged",
    "is_out_of_space",
    "is_writable",
    "make_folder",
    "open_in_memory",
    "set_aside_database",
    "transaction",
    "translate_errors",
]

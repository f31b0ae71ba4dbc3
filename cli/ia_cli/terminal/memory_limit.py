"""Whether memory is short. It loads nothing: nothing more could be loaded then."""

import errno

SPARE = 2**25
"""Bytes that can be had where an import failed for another reason than memory."""


def is_out_of_memory(exc: BaseException) -> bool:
    """Return True if Python, the system or the loader of a module found no memory.

    An ImportError does not say why, nor a SystemError: there was no memory for the exception.
    """
    if isinstance(exc, (ImportError, SystemError)):
        try:
            bytearray(SPARE)
        except MemoryError:
            return True
    return isinstance(exc, MemoryError) or (isinstance(exc, OSError) and exc.errno == errno.ENOMEM)

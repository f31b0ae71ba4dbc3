"""Whether memory is short. It imports nothing: nothing more could be loaded then."""

SPARE = 2**25
"""Bytes that can be had where an import failed for another reason than memory."""


def is_out_of_memory(exc: BaseException) -> bool:
    """Return True if Python found no memory, or the loader of a module: an ImportError does not say why it failed."""
    if isinstance(exc, ImportError):
        try:
            bytearray(SPARE)
        except MemoryError:
            return True
    return isinstance(exc, MemoryError)

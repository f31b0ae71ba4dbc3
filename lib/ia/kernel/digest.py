"""SHA-256 from Python itself: hashlib loads OpenSSL, which takes 4 ms of a command that ends after 50.

The digests are the same. For megabytes hashlib is faster; the random module of the standard library does as this one.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from hashlib import sha256
else:
    try:
        from _sha2 import sha256
    except ImportError:
        try:
            from _sha256 import sha256  # Python 3.11
        except ImportError:
            from hashlib import sha256

__all__ = ["sha256"]

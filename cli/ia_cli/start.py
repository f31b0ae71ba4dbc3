"""Where the `ia` script begins: what must happen before anything that takes time to load."""

import gc
import os
import sys


def main() -> None:
    """Start the sandbox's worker if it will be needed, load the command line and run it; Ctrl-C is 130 from here on."""
    gc.disable()  # a short process: collecting while modules load costs a tenth of the start
    try:
        if "compute" in sys.argv[1:-1]:
            from ia.compute.spawn import prestart

            prestart(sys.argv[1:])
        from ia_cli.main import main as run

        run()
    except KeyboardInterrupt:
        os._exit(130)

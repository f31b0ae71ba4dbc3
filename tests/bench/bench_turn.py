"""What a turn costs: against `llm` with the same model and server, the analyst against pandas; and the first byte.

Questions that the store and the ledger answer are held to `import click` by processor time, in a workspace lived in.
"""

import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from floors import PYTHON, Case, environment, measure, measure_processor, table

sys.path.insert(0, str(Path(__file__).parent.parent))

from support.servers.openai import KEY, MODEL, Reply, Server, write_user_path

QUESTION = "帮我看看宁德时代最近怎么样"
UNWRITTEN = 'rm -rf "$IA_HOME/notebook" "$IA_HOME/memory/observations";'
"""So that each round writes its note and its observation."""

LIVED_IN = (
    "ia init",
    "ia sync",
    "ia trade deposit 500000",
    "ia trade buy 600519 100 700 --because moat --override",
    "ia trade buy 600036 1000 30 --because cheap --override",
    "printf 'I want dividends and never borrow.\\n' >> \"$IA_HOME/soul.md\"",
    'for n in $(seq 40); do ia note ideas/$n "600519 and 600036, thought $n"; done',
    "for n in $(seq 20); do ia turn -s session$n 'How is the market today?'; done",
)
STORED = ("How much cash do I have?", "我有哪些持仓", "大盘今天怎么样", "how is the market today")
"""Questions for the account and for the market."""


def stored_cases() -> list[Case]:
    """Questions whose answer is in the workspace, with the analyst."""
    click = "import click"
    asked = [Case(f"ia turn {words}", f"ia turn -m ia-offline '{words}'", click, 8) for words in STORED]
    return [Case(click, f"{PYTHON} -c 'import click'"), *asked]


def measure_stored(env: dict[str, str], rounds: int) -> None:
    """Print what they cost of the processor."""
    with tempfile.TemporaryDirectory(prefix="ia-bench-") as home:
        env = {**env, "IA_HOME": home}
        for command in LIVED_IN:
            subprocess.run(["bash", "-e", "-c", command], env=env, check=True, capture_output=True)
        found = stored_cases()
        print("\nprocessor time, user and system")
        table(found, measure_processor(found, rounds, env))


def cases() -> list[Case]:
    """The turn with a model that answers at once, and journey A with the analyst."""
    return [
        Case("import pandas", f"{PYTHON} -c 'import pandas'"),
        Case("llm -m (answers at once)", f"llm -m {MODEL} 你好"),
        Case("ia turn -m (answers at once)", f"ia turn -m {MODEL} 你好", "llm -m (answers at once)", 1.3),
        Case("ia turn, journey A with ia-offline", f"{UNWRITTEN} ia turn -m ia-offline {QUESTION}", "import pandas", 3),
        Case("ia context", f"ia context {QUESTION}"),
    ]


def first_byte(command: str, env: dict[str, str], rounds: int) -> float:
    """Return the median milliseconds from the server's first word to the first byte of standard output.

    The server then keeps silent for a while: whoever holds words back is late by that.
    """
    delays = []
    with Server(always=Reply("第一句话。" * 8, pause=0.15)) as server:
        write_user_path(Path(env["LLM_USER_PATH"]), server.url)
        for _ in range(rounds):
            child = subprocess.Popen(["bash", "-c", command], env=env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)  # fmt: skip
            assert child.stdout is not None
            os.read(child.stdout.fileno(), 1)
            delays.append((time.monotonic() - server.spoke) * 1e3)
            child.communicate()
    return statistics.median(delays)


def main() -> None:
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 15
    with tempfile.TemporaryDirectory(prefix="ia-bench-") as folder, Server(always=Reply("好。")) as server:
        home = Path(folder) / "home"
        home.mkdir()
        kept = {name: value for name, value in environment(home).items() if not name.lower().endswith("_proxy")}
        env = {**kept, "LLM_USER_PATH": f"{folder}/llm", "IA_NOW": "2024-03-15T16:00:00+08:00"}
        env |= {"IA_PRICES_SCRIPTED_INPUT": "1", "IA_PRICES_SCRIPTED_OUTPUT": "4"}
        write_user_path(Path(folder) / "llm", server.url)
        subprocess.run(["bash", "-c", "ia init && ia ohlcv 300750"], env=env, check=True, capture_output=True)
        found = cases()
        table(found, measure(found, rounds, env))
        assert all(KEY in request.headers["authorization"] for request in server.requests)
        for name in (f"llm -m {MODEL} 你好", f"ia turn -m {MODEL} 你好"):
            print(
                f"{'first byte of ' + name.split(' -m')[0]:<44}{first_byte(name, env, max(rounds // 3, 3)):>8.0f}  after the server's"
            )
        measure_stored(env, rounds)


if __name__ == "__main__":
    main()

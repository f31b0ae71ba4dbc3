"""On how many days the account gained, and on how many it lost."""

from ia.agent.analyst.ask.facts import FactQuestion
from ia.agent.analyst.desk import ToolDesk, Work
from ia.agent.analyst.jobs.facts import performance_facts, wording
from ia.agent.analyst.say.reply import Reply, reply_of_lines
from ia.kernel.jsontypes import Json


def answer_day_counts(desk: ToolDesk, asked: FactQuestion) -> Work[Reply]:
    """Answer on how many sessions the account gained and lost: all of it first, then each currency."""
    loaded = yield from performance_facts.load_performance(desk, asked)
    if isinstance(loaded, Reply):
        return loaded
    (result, _), speak, lines = loaded, desk.speak, list[str]()
    for name, account in reversed(performance_facts.accounts_of(desk, result)):
        risk: Json = account.get("risk") or {}
        if not risk.get("returns"):
            lines.append(speak("{name}: not known ({reason})", name=name, reason="–"))
            continue
        gains, losses, count = (int(risk.get(key) or 0) for key in ("gain_days", "loss_days", "returns"))
        given: Json = {"name": name, "gains": gains, "losses": losses, "same": count - gains - losses,
                       "count": count, "first": account.get("first"), "last": account.get("last")}  # fmt: skip
        lines.append(
            speak("{name}: **{gains}** days with a gain, **{losses}** with a loss, {same} unchanged"
                  " ({count} sessions, {first} – {last})", **given)
        )  # fmt: skip
    lines[0] += wording.simulated_mark(desk, result.get("simulated"))
    return reply_of_lines(*lines)


ANSWERS = {"day_counts": answer_day_counts}

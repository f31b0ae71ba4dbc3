"""A wish to go through a checklist, answered with check.run: the verdict first, then what did not pass."""

from ia.agent.analyst.ask.amounts import find_size
from ia.agent.analyst.ask.checklist_words import NamedChecklist, asks_lists, choose_checklists
from ia.agent.analyst.ask.intent import Intent
from ia.agent.analyst.ask.mentions import strip_mentions
from ia.agent.analyst.desk import DeskResult, ToolDesk, Work
from ia.agent.analyst.failures import describe_failure
from ia.agent.analyst.jobs.facts import wording
from ia.agent.analyst.say.reply import Reply, reply_of_lines
from ia.kernel.jsontypes import Json

ROOM = 9
"""Items that are named in an answer."""
MOST_SECURITIES = 3


def run_checklist(desk: ToolDesk, wanted: Intent) -> Work[Reply | None]:
    """Judge the checklist that a message names, for each security; None where there are no lists."""
    found = yield from find_list(desk, wanted)
    if found is None or isinstance(found, Reply):
        return found
    lines: list[str] = []
    for result in (yield from judge(desk, wanted, found)):
        lines += [""] if lines else []
        lines += tell_result(desk, result) if result.ok else [tell_failure(desk, found, result)]
    return reply_of_lines(*lines)._replace(signed=True)


def find_list(desk: ToolDesk, wanted: Intent) -> Work[Reply | NamedChecklist | None]:
    """Return the checklist that a message names, or the question which one; None where there are none."""
    speak = desk.speak
    told = yield from desk.one("check.run")
    rows = told.get("checks") if told.ok else None
    if not isinstance(rows, list) or not rows:
        return None
    lists = [NamedChecklist(each["name"], each["id"], each["title"], each["trade"] or "") for each in rows]
    plain = strip_mentions(wanted.words)
    if asks_lists(plain):
        return reply_of_lines(speak("Your checklists:"), *(f"- {each.name}: {each.title}" for each in lists))
    found = choose_checklists(plain, lists, security=bool(wanted.securities))
    if len(found) != 1:
        names = speak.join_items([each.name for each in found or lists])
        return reply_of_lines(speak("Which checklist: {names}?", names=names))
    if found[0].trade and not wanted.securities:
        return reply_of_lines(
            speak("Which security shall the checklist {name} be run on? For example: 300750.", name=found[0].name)
        )
    return found[0]


def judge(desk: ToolDesk, wanted: Intent, found: NamedChecklist) -> Work[list[DeskResult]]:
    """Judge a checklist for each security that a message names."""
    results: list[DeskResult] = []
    for mention in wanted.securities[:MOST_SECURITIES] if found.trade else [None]:
        given: Json = {"name": found.id}
        if mention is not None:
            size = find_size(wanted.words.replace(mention.said, " "))
            shares = size.shares_of(mention.symbol) if size else None
            given |= {"symbol": mention.code} | ({"quantity": float(shares)} if shares else {})
        results.append((yield from desk.one("check.run", **given)))
    return results


def tell_failure(desk: ToolDesk, found: NamedChecklist, result: DeskResult) -> str:
    """Return that a checklist could not be judged, and why."""
    assert result.failure is not None
    why = describe_failure(desk.speak, result.failure)
    return desk.speak("The checklist {name} could not be judged: {why}.", name=found.name, why=why)


def tell_result(desk: ToolDesk, result: DeskResult) -> list[str]:
    """Return the verdict, and below it the items that did not pass."""
    speak = desk.speak
    items = [each for each in result.get("items") or [] if isinstance(each, dict)]
    counted = [each for each in items if each["severity"] == "must"]
    passed = sum(each["result"] == "pass" for each in counted)
    what = str(result.get("title") or result.get("check"))
    if result.get("symbol"):
        about = wording.security_name(desk, str(result.get("symbol")), result.get("name"))
        what = speak(
            "{title}, {security}, {quantity:g} shares", title=what, security=about, quantity=result.get("quantity")
        )
        what += speak(" at {price:.10g}", price=result.get("price")) if result.get("price") else ""
        what += speak(" ({date})", date=result.get("date")) if result.get("date") else ""
    what += wording.simulated_mark(desk, result.get("simulated"))
    verdict = (
        speak("**passed** ({passed} of {count})", passed=passed, count=len(counted))
        if result.get("passed")
        else speak("**not passed** ({passed} of {count})", passed=passed, count=len(counted))
    )
    lines = [speak("{what}: {verdict}", what=what, verdict=verdict)]
    open_items = [each for each in counted if each["result"] != "pass"]
    open_items += [each for each in items if each["severity"] != "must" and each["result"] != "pass"]
    lines += [tell_item(desk, each) for each in open_items[:ROOM]]
    command = " ".join(filter(None, ("ia check", str(result.get("check")), str(result.get("symbol") or ""))))
    lines.append("- " + speak("All items with their sources: `{command}`", command=command))
    return lines


def tell_item(desk: ToolDesk, item: Json) -> str:
    """Return an item that did not pass: what must hold, what was found, and whether it counts."""
    speak = desk.speak
    value = item.get("value")
    shown = f"{value:.10g}" if isinstance(value, int | float) and not isinstance(value, bool) else str(value or "")
    found = str(item.get("reason") or "") or " ".join(filter(None, (shown, f"({item['limit']})" * bool(item["limit"]))))
    told = {"text": item["text"], "found": found}
    if item["severity"] != "must":
        return "- " + speak("not counted: {text}; {found}", **told)
    if item["result"] == "unknown":
        return "- " + speak("**unknown**: {text}; {found}", **told)
    return "- " + speak("**fails**: {text}; {found}", **told)

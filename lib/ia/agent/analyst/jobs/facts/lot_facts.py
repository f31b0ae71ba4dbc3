"""In which quantities shares are traded: the lot of a security, and the least order of a board."""

from ia.agent.analyst.ask.amounts import find_market_currencies
from ia.agent.analyst.ask.facts import FactQuestion
from ia.agent.analyst.ask.mentions import Mention
from ia.agent.analyst.desk import ToolDesk, Work
from ia.agent.analyst.jobs.facts import wording
from ia.agent.analyst.jobs.facts.fee_rate_facts import BOARDS
from ia.agent.analyst.say.reply import Reply, reply_of_lines
from ia.domain.rules.lots import find_lot
from ia.kernel.jsontypes import Json


def answer_lot(desk: ToolDesk, asked: FactQuestion) -> Work[Reply]:
    """Answer how many shares are one lot of a security, where that is known; the least order of boards without one."""
    if asked.spans and wording.other_day(asked, desk.request.day):
        return wording.ask_back(desk, tuple(span.said for span in asked.spans))
    if not asked.securities:
        return (yield from _answer_boards(desk, asked.words))
    return reply_of_lines(*(_say_lot(desk, mention) for mention in asked.securities[:3]))


def _say_lot(desk: ToolDesk, mention: Mention) -> str:
    speak, name = desk.speak, wording.head_of(desk, mention)
    rule = find_lot(mention.symbol, desk.request.day)
    if rule is not None and rule.step == rule.least:
        return speak("{name}: one lot is **{count}** shares.", name=name, count=f"{rule.least:,}")
    if rule is not None:
        return speak("{name}: an order is at least **{least}** shares, and goes on in steps of {step}.",
                     name=name, least=f"{rule.least:,}", step=f"{rule.step:,}")  # fmt: skip
    if mention.symbol.market == "US":
        return speak("{name}: shares are traded one by one, without a lot.", name=name)
    return speak(
        "{name}: in Hong Kong each company sets its own lot; I have no source of it. The exchange's page of the share"
        " shows it.",
        name=name,
    )


def _answer_boards(desk: ToolDesk, words: str) -> Work[Reply]:
    """Answer the least order of the boards that words name; of all boards of the mainland without any."""
    speak, lines = desk.speak, list[str]()
    abroad = [code for code in find_market_currencies(words) if code != "CNY"]
    if "HKD" in abroad:
        lines.append(speak("Hong Kong: each company sets its own lot; the exchange's page of the share shows it."))
    if "USD" in abroad:
        lines.append(speak("US shares are traded one by one, without a lot."))
    named = [(title, board) for board, title, form in BOARDS if form.search(words)]
    if not named and not lines:
        named = [(title, board) for board, title, _ in BOARDS]
    if not named:
        return reply_of_lines(*lines)
    result = yield from desk.one("trade.rules", market="CN")
    if result.failure is not None:
        return wording.unreadable(desk, speak("the rules"), result.failure)
    rules = {(str(row.get("rule")), str(row.get("market"))): row for row in wording.rows_of(result, "rules")}
    for title, board in named:
        least, step = (rules.get((rule, board)) or rules.get((rule, "A")) for rule in ("lot", "step"))
        if least is not None and step is not None:
            lines.append(_say_least(desk, speak(title), least, step))
    return reply_of_lines(*lines, speak("Sources and earlier rules: `ia trade rules`."))


def _say_least(desk: ToolDesk, name: str, least: Json, step: Json) -> str:
    given: Json = {"name": name, "least": least["value"], "step": step["value"]}
    if least["value"] == step["value"]:
        return desk.speak("{name}: an order is at least **{least}** shares, in multiples of {step}.", **given)
    return desk.speak("{name}: an order is at least **{least}** shares, and goes on in steps of {step}.", **given)


ANSWERS = {"lot": answer_lot}

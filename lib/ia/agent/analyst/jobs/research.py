"""Research of one security: the skill's procedure, in the order of the soul's lens, ending in a note."""

import re
from collections.abc import Sequence

from ia.agent.analyst.ask.amounts import find_size
from ia.agent.analyst.ask.mentions import Mention, english, strip_mentions
from ia.agent.analyst.desk import DeskCall, DeskResult, ToolDesk, Work
from ia.agent.analyst.evidence import lens as lenses
from ia.agent.analyst.evidence import past_views, procedure, verdict
from ia.agent.analyst.evidence.procedure import ProcedureStep
from ia.agent.analyst.evidence.readings import INDEX, VALUATION, key, labels_at, lacks_free_cash_flow, readings_at
from ia.agent.analyst.evidence.stated_view import parse_view
from ia.agent.analyst.evidence.study import NO_MEANING, Study, add_cash_flow, check_valuation, valuation_values
from ia.agent.analyst.evidence.tool_answers import display_name, read_value, recall_hits
from ia.agent.analyst.failures import NO_BARS
from ia.agent.analyst.jobs import risk_rules
from ia.agent.analyst.jobs.filing import file_calls, observation, observe, research_path, topic_names
from ia.agent.analyst.jobs.skill_loading import steps_for
from ia.agent.analyst.parts import in_list, nothing, part
from ia.agent.analyst.say import note, reply, view
from ia.agent.analyst.say.outline import outline_at
from ia.agent.analyst.say.reply import Reply
from ia.kernel.patterns import pattern

_BUY = pattern(r"买|加仓|建仓|\b(?:buy|add)\b", re.I)
TAIL = 120


def study_security(
    desk: ToolDesk, mention: Mention | None, steps: list[ProcedureStep], lens: lenses.Lens, skill: str = ""
) -> Work[Study]:
    """Return the study of a security, or of the bars that came along where `mention` is None."""
    soul, beliefs = desk.request.parts.get("soul", ""), desk.request.parts.get("beliefs", "")
    cares = lenses.concerns(soul, beliefs, desk.tables)
    lens = lenses.add_concerns(lens, cares, desk.tables)
    study = Study(
        mention.code if mention else "",
        mention.name if mention else "",
        display_name(desk, mention) if mention else "",
        lens,
        cares,
        skill=skill,
        english=english(mention.symbol) if mention else "",
    )
    study.steps = procedure.choose_steps(steps, lens.order, lens.counter)
    if "market" in cares and mention is not None and not desk.request.bars:
        yield from _index(desk, study, mention)
    if desk.request.bars:
        _take_piped_bars(desk, study)
    elif mention is not None:
        yield from _fetch_bars_and_past(desk, study, mention)
        if study.failure:
            return study
    yield from _compute_figures(desk, study, mention)
    if mention is not None and not desk.request.bars:
        yield from _look_at_valuation(desk, study, mention)
    study.verdict = verdict.weigh_evidence(
        study.values, lens, study.fired, study.rows, study.simulated, desk.tables, study.facts
    )
    return study


@part("the look at the market", nothing)
def _index(desk: ToolDesk, study: Study, mention: Mention) -> Work[None]:
    """Look at the market first, as the coach asked."""
    name = str(outline_at(desk.tables).benchmarks.get(mention.symbol.market) or "")
    looked = yield from desk.one("market.ohlcv", symbol=name, tail=1)
    if not looked.ok:
        return
    study.index = str(looked.get("name") or looked.get("symbol") or name)
    codes = [reading.code for reading in readings_at(desk.tables).of_views(["market"])]
    args = {"symbol": str(looked.get("symbol"))} if desk.stranger else {}
    calls = [DeskCall("compute.run", {"code": code.removeprefix(INDEX), **args}) for code in codes]
    for code, result in zip(codes, (yield from desk.run(*calls)), strict=True):
        study.values[key(code)] = read_value(result)


def _take_piped_bars(desk: ToolDesk, study: Study) -> None:
    """Take the bars that came along with the question: nothing is fetched."""
    study.market = desk.request.bars
    known = str(study.market.get("symbol") or "")
    if known and known != "stdin":
        study.code, study.name = known, str(study.market.get("name") or "") or known
        study.title = study.title or study.name


def _fetch_bars_and_past(desk: ToolDesk, study: Study, mention: Mention) -> Work[None]:
    """Fetch the bars, and what was thought and written before."""
    calls = [DeskCall("market.ohlcv", {"symbol": mention.code, "tail": TAIL})]
    tools = {step.tool for step in study.steps}
    if tools & {"memory.recall", "memory.read", "notebook.search"}:
        calls.append(DeskCall("memory.recall", {"query": mention.name, "limit": 6}))
    topics = topic_names(desk, study.name, english(mention.symbol))
    calls += [DeskCall("memory.read", {"path": observation(desk, topic)}) for topic in topics]
    bars, *rest = yield from desk.run(*calls)
    rest, today = rest[: -len(topics)], rest[-len(topics) :]
    filed = [(topic, str(text.value)) for topic, text in zip(topics, today, strict=True) if text.ok]
    study.topic, study.observed = filed[0] if filed else (topics[0], "")
    if not bars.ok or not isinstance(bars.value, dict) or not bars.get("rows"):
        study.failure = bars.failure or NO_BARS
        return
    study.market = bars.value
    study.name = study.name or str(bars.get("name") or "")
    if rest and rest[0].ok:
        study.earlier = recall_hits(rest[0].value)
        yield from past_views.read_whole(desk, study.earlier, study.names, desk.request.day)


def _look_at_valuation(desk: ToolDesk, study: Study, mention: Mention) -> Work[None]:
    """Add the valuation and the free cash flow; the procedure has them behind the red flags."""
    if mention.symbol.kind != "stock" or not desk.has("market.valuation"):
        return
    study.valuation = check_valuation((yield from desk.one("market.valuation", symbol=mention.code)))
    if study.valuation and "value" in study.lens.order:
        yield from _look_at_cash_flow(desk, study)
    study.values |= valuation_values(study.valuation)


def _look_at_cash_flow(desk: ToolDesk, study: Study) -> Work[None]:
    """Add the free cash flow to the valuation, or why it was not looked at."""
    if lacks_free_cash_flow(study.valuation, desk.tables):
        study.cash_gap = NO_MEANING
    else:
        told = yield from desk.one("financial.cashflow", symbol=study.code, periods=1)
        study.valuation, study.cash_gap = add_cash_flow(study.valuation, told)


def _compute_figures(desk: ToolDesk, study: Study, mention: Mention | None) -> Work[None]:
    """Compute what the procedure and the readings of its views need, each expression once, and check the rules."""
    codes: dict[str, str] = {}
    read = readings_at(desk.tables).of_views(study.lens.order)
    levels = [each.code for each in outline_at(desk.tables).levels]
    rates = [each.rate for each in outline_at(desk.tables).levels]
    always = [*labels_at(desk.tables).levels, *outline_at(desk.tables).ends.values(), *levels, *rates]
    for code in [*(s.code for s in study.steps if s.code), *(r.code for r in read), *filter(None, always)]:
        if not code.startswith((INDEX, VALUATION)):
            codes.setdefault(key(code), code)
    fetched = mention is not None and not desk.request.bars
    args = {"symbol": study.code} if desk.stranger and fetched else {}
    calls = [DeskCall("compute.run", {"code": code, **args}) for code in codes.values()]
    checks = [
        DeskCall("skills.check", {"name": study.skill or "research", **({"symbol": study.code} if fetched else {})})
    ]
    if not any(step.tool == "skills.check" for step in study.steps):
        checks = []
    results = yield from desk.run(*calls, *checks)
    for name, result in zip(codes, results, strict=False):
        study.values[name] = read_value(result)
    if checks and results[-1].ok:
        study.checked = True
        study.fired = verdict.fired_of(results[-1].value, desk.speak)
        study.unread = [
            (str(item.get("id")), str(item.get("if")), str(item.get("text")))
            for item in results[-1].get("for_you_to_judge") or []
            if isinstance(item, dict) and item.get("tier") == 1
        ]
    study.why = next((each.failure.sentence for each in results if each.failure and not each.missing), "")
    study.figures = procedure.make_figures(study.steps, study.values, desk.speak, desk.tables)


def research(desk: ToolDesk, mention: Mention | None, unread: Sequence[str] = (), *, keeps: bool = True) -> Work[Reply]:
    """Research one security, or the bars that were piped in; keep the note and the observation, and answer.

    unread   what of the question was not understood; it is told first, and nothing is kept
    keeps    whether the note and the observation are kept
    """
    speak = desk.speak
    if unread and mention is not None and desk.request.before:  # it goes on with something else than a view
        return reply.reply_of_lines(
            speak(
                "What of {name} do you want to know? “{words}” I could not read, so I do not answer with something"
                " else.",
                name=display_name(desk, mention),
                words=desk.join_typed(unread)[:80],
            )
        )._replace(unread=(desk.request.question,))
    yield from desk.load_tables("readings", "valuation", "labels", "lenses", "view", templates=("answer", "note"))
    order = lenses.put_first(
        lenses.of_soul(desk.request.parts.get("soul", ""), desk.tables),
        strip_mentions(desk.request.question),
        desk.tables,
    )
    steps, skill = yield from steps_for(desk, "research", mention.name if mention else "")
    study = yield from study_security(desk, mention, steps, order, skill)
    if study.failure:
        return reply.reply_of_lines(reply.describe_no_prices(desk, mention.said if mention else "", study.failure))
    if study.value("close") is None:
        return reply.reply_of_lines(
            speak(
                "No figure could be computed, so there is no view: {why}.",
                why=study.why or speak("there is no tool to compute with"),
            )
        )
    seen = view.View(desk, study)
    codes = [study.code] if study.code and mention is not None else []
    wanted = seen.verdict.lean > 0 or bool(_BUY.search(desk.request.question))
    said = strip_mentions(desk.request.question) if mention is not None and _BUY.search(desk.request.question) else ""
    size = find_size(said)
    shares = size.shares_of(mention.symbol) if size and mention is not None else None
    rules = yield from risk_rules.check_buy(desk, *codes, quantity=shares, tell_permit=wanted)
    kept = (yield from _file_research(desk, study, seen, rules)) if keeps and not unread else []
    told = []
    if unread:
        told = [speak("“{words}” I could not read; this is the whole view.", words=desk.join_typed(unread))]
    return Reply(
        [*told, *note.answer(seen, rules, kept, note.ROWS - len(told))],
        [f"{seen.subject}{speak(': ')}{seen.conclusion()}", *rules, *seen.changes()[:2]],
        view.spoken_for(study, speak),
        signed=True,
    )


def _is_filed(desk: ToolDesk, study: Study, seen: view.View) -> bool:
    """Whether today's observations have this view already, in whatever language."""
    filed = parse_view(study.observed, desk.tables)
    return filed is not None and filed.data_line == note.state_view(seen).data_line


@part("the note and the observation", in_list)
def _file_research(desk: ToolDesk, study: Study, seen: view.View, rules: list[str]) -> Work[list[str]]:
    """Write the note and the observation, as far as the procedure does, and return where they are, in lines."""
    tools = {step.tool for step in study.steps}
    topic = study.name or study.code or desk.speak("piped")
    line = note.observation_line(seen)
    calls: list[tuple[DeskCall, str]] = []
    if "notebook.write" in tools:
        path = yield from research_path(desk, [(topic, study.english or topic)])
        text = note.note(seen, rules)
        calls.append((DeskCall("notebook.write", {"path": path, "content": text}), desk.speak("note", context="kept")))
    if tools & {"memory.write", "memory.observe"} and not _is_filed(desk, study, seen):
        calls.append(
            (
                observe(desk, study.topic or topic, f"{line}\n{note.state_view(seen).data_line}", study.observed),
                desk.speak("observation", context="kept"),
            )
        )
    results = yield from file_calls(desk, *(call for call, _ in calls))
    told = []
    for (call, name), result in zip(calls, results, strict=True):
        if not result.ok or result.get("proposal"):
            told += reply.describe_paths(desk, (result, name))
        elif call.tool == "notebook.write" and result.get("path"):
            told.append(_say_where(desk, result))
    return told


def _say_where(desk: ToolDesk, written: DeskResult) -> str:
    """Return where the whole study lies."""
    mark = desk.speak(" (untrusted)", context="reply") if written.get("status") == "untrusted" else ""
    return desk.speak("All of it: `{path}`{mark}", path=written.get("path"), mark=mark)

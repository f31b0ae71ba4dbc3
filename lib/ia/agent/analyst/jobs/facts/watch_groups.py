"""Industries of the watch list, and the commands that take something out of a group, rename a group or dissolve it."""

import re

from ia.agent.analyst.ask.facts import FactQuestion
from ia.agent.analyst.desk import ToolDesk, Work
from ia.agent.analyst.jobs.facts import group_facts, wording
from ia.agent.analyst.say.reply import Reply, reply_of_lines
from ia.kernel.patterns import pattern


def answer_watch_industries(desk: ToolDesk, asked: FactQuestion) -> Work[Reply]:
    """Answer in which industries the watched securities are, the industry with most of them first."""
    speak, listed = desk.speak, (yield from desk.one("watch.list"))
    if listed.failure is not None:
        return wording.unreadable(desk, speak("the watch list"), listed.failure)
    codes = [str(row["symbol"]) for row in wording.rows_of(listed, "items") if row.get("symbol")]
    if not codes:
        return reply_of_lines(speak('Nothing is watched: "track 600519" puts a security on the list.'))
    quotes = yield from desk.one("market.quote", symbols=codes)
    known = {str(row.get("symbol")): str(row.get("industry") or "") for row in wording.rows_of(quotes, "quotes")}
    groups: dict[str, list[str]] = {}
    for code in codes:
        groups.setdefault(known.get(code, ""), []).append(wording.name_alone(desk, code, None))
    unknown = groups.pop("", [])
    lines = [
        speak("- {group}: {names}", group=wording.industry_name(desk, name), names=speak.join_items(names))
        for name, names in sorted(groups.items(), key=lambda each: -len(each[1]))
    ]
    if unknown:
        lines.append(speak("The industry is not known of: {names}.", names=speak.join_items(unknown)))
    return reply_of_lines(speak("Industries of the watch list:"), *lines)


_NEW_NAME = pattern(
    r"(?:改名|重命名|改叫|叫做?|改成|换成|改为|名为)(?:叫做?|为"
    r"|成)?\s*[“\"「]?(?P<zh>[\w\u3400-\u9fff-]{1,12}?)[”\"」]?(?:组|吧)?\W*$"
    r"|\b(?:to|as|into|(?:be )?called|call it)\s+[\"“]?(?P<en>[\w-]+)[\"”]?(?:\s+group)?\W*$",
    re.I,
)


def answer_watch_edit(desk: ToolDesk, asked: FactQuestion) -> Work[Reply]:
    """Name the command that takes securities out of a group, renames a group or dissolves it."""
    speak, groups = desk.speak, (yield from group_facts.load_groups(desk))
    new = _NEW_NAME.search(asked.words)
    old = asked.words[: new.start()] if new else asked.words
    group = yield from group_facts.find_group(desk, old)
    if not group:
        return reply_of_lines(
            speak("The watch list has no such group; it has these: {groups}.", groups=speak.join_items(groups) or "–")
        )
    codes = yield from group_facts.list_codes(desk, group)
    if asked.securities:
        lines = [
            speak(
                "Nothing was changed: `ia watch add {code} --group ''` leaves {name} on the list without a group,"
                " `ia watch remove {code}` takes it off.",
                code=mention.code, name=wording.head_of(desk, mention),
            )
            if mention.code in codes
            else speak("{name} is not in the group **{group}**.", name=wording.head_of(desk, mention), group=group)
            for mention in asked.securities
        ]  # fmt: skip
        return reply_of_lines(*lines)
    every = " ".join(codes)
    if new:
        return reply_of_lines(
            speak("Nothing was changed: `ia watch add {codes} --group {new}` moves all of **{group}** there.",
                  codes=every, new=new["zh"] or new["en"], group=group)
        )  # fmt: skip
    return reply_of_lines(
        speak(
            "Nothing was changed: `ia watch add {codes} --group ''` dissolves **{group}** and keeps what is in it,"
            " `ia watch remove {codes}` takes that off the list.",
            codes=every, group=group,
        )
    )  # fmt: skip


ANSWERS = {"watch_industries": answer_watch_industries, "watch_edit": answer_watch_edit}

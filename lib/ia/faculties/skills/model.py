"""A skill, as its front matter describes it."""

from typing import NamedTuple

from ia.kernel import config
from ia.kernel.errors import Message
from ia.kernel.jsontypes import Json


class Skill(NamedTuple):
    """One skill: what its front matter says.

    about     its description, about_en the English one; see description()
    declared  allowed-tools as written, names of other programs' tools too; None where the field is absent
    allowed   names and `organ.*` patterns of tools that it may call here
    fork      runs in a subagent
    path      its folder, relative to the workspace
    problem   why it cannot be used; None where it can
    fields    the front matter, unknown fields and all
    titles    its name for people: in the author's language, in English
    requires  slots of a session without which its tools cannot run
    """

    name: str
    about: str
    about_en: str
    version: str
    declared: tuple[str, ...] | None
    allowed: tuple[str, ...]
    model_invocable: bool
    user_invocable: bool
    fork: bool
    argument_hint: str
    triggers: tuple[str, ...]
    enabled: bool
    path: str
    problem: Message | None
    fields: Json
    titles: tuple[str, str] = ("", "")
    requires: tuple[str, ...] = ()

    def display_name(self, lang: str | None = None) -> str:
        """Return its name for people, in `zh` or `en` (default: the user's language)."""
        own, english = self.titles
        return ((english or own) if (lang or config.locale_lang()) == "en" else (own or english)) or self.name

    def description(self, lang: str | None = None) -> str:
        """Return what it is for, in `zh` or `en` (default: the user's language), in whichever is there."""
        english = (lang or config.locale_lang()) == "en"
        return (self.about_en if english and self.about_en else self.about) or self.about_en

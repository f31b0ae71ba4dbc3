"""A schedule in words, English or Chinese."""

from ia.schedule.design import Design


def described(design: Design, lang: str = "en") -> str:
    """Return when a design runs, in one line: `lang` en or zh."""
    return design.schedule

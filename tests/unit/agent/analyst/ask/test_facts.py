"""Which facts a question can ask for."""

from ia.agent.analyst.ask import facts


def test_facts_of_securities_are_only_of_securities():
    """So that the table is not read where none is named."""
    assert {fact.of for fact in facts.security_table().facts} == {facts.SECURITY, facts.HOLDING}


def test_without_a_security_the_table_of_securities_is_passed_over():
    whole, part = facts.facts_at(), facts.facts_at(named=False)
    scans = [fact.id for fact in facts.scan_table()]  # of the whole market: where a security is named, it is meant
    assert scans and not {fact.id for fact in whole} & set(scans)
    assert [fact for fact in whole if fact.of not in (facts.SECURITY, facts.HOLDING)] == [
        fact for fact in part if fact.of not in (facts.SECURITY, facts.HOLDING) and fact.id not in scans
    ]

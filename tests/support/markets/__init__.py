"""Made-up markets: simulated ones, the hosts that would tell of them, recorded answers, and what a store holds."""

"""What exchanges and tax offices prescribe, by date: fees, price limits, lots, settlement; each rule with a source."""

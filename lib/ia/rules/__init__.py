"""What exchanges and tax offices prescribe, by date: fees, price limits, lots, settlement. Each rule with its source."""

"""The main indices of the mainland, by which its market is told."""

MAIN_INDICES = ("000001.SH", "399001.SZ", "399006.SZ", "000300.SH", "000905.SH", "000688.SH")
"""Shanghai Composite, SZSE Component, ChiNext, CSI 300, CSI 500, STAR 50. A summary names the first of them."""

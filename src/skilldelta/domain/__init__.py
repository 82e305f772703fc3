"""Frozen values that the stages pass to one another; no behaviour beyond properties and digests."""

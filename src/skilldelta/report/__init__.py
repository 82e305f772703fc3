"""Comparisons become one report value, and the report value becomes text."""

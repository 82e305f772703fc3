"""Outcome and judge settings become a judgment; blind to the arm."""

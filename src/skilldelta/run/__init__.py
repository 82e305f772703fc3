"""The plan becomes outcomes, through an injected runner, journal and budget."""

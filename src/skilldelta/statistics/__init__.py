"""Statistics of paired differences as pure functions of numbers; the package itself loads nothing heavy."""

"""From bytes to frozen values: YAML, frontmatter, suites, configuration; every error names file, line and field."""

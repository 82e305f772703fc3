"""skilldelta: did this change make the Agent Skill better, worse, or can we not tell yet?"""

__version__ = "0.1.0"

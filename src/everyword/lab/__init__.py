"""The context window lab: what a strategy sends at each turn, what it forgets, and what it costs."""

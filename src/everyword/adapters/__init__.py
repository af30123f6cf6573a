"""A memory in the shape that other frameworks ask for: one file a framework, imported by who uses it."""

"""Doors to a memory for programs that are not Python in the same process: HTTP, the chat proxy, MCP."""

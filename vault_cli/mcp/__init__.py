"""The MCP server: commands of mvault as tools of an agent. Needs the extra `mvault[mcp]`."""

"""The tools that describe this server's own tools and reach those that are not loaded."""

"""The registered tools as one caller sees them: families, profiles, permissions, sessions."""

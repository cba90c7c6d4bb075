"""Play card games against other bots: the client for Harbourmaster."""

"""The house bots: opponents to try a bot against, and bots that misbehave on purpose."""

"""The gRPC services, as far as the referee itself offers them."""

from harbourmaster_server.services.admin import AdminService
from harbourmaster_server.services.bots import BotService
from harbourmaster_server.services.matches import MatchService

__all__ = ["AdminService", "BotService", "MatchService"]

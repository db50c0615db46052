# travels with: telegraf
"""A client of Telegraf with the names of pytelegraf's, for scripts that were written for that."""

from .client import TelegrafClient

__all__ = ("TelegrafClient",)

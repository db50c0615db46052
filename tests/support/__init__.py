"""What tests share: fakes, contracts, players and real services, by `from support import ...`."""

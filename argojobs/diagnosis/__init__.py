"""Why a run is pending or failed: findings from what was looked at, as plain data; nothing is fetched."""

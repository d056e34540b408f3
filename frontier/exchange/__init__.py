"""Many fetchers, one frontier: its order goes out, and answers come back, through PostgreSQL."""

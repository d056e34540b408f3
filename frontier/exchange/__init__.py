"""Several fetchers, one frontier: PostgreSQL carries its order to them and answers back."""

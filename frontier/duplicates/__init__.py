"""Which fetched pages say what another one has said: copies, mirrors, pages nearly alike."""

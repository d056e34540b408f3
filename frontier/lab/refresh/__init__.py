"""Rules for revisits compared by the freshness of a collection: a simulation on change logs."""

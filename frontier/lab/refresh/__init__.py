"""Which rule for looking at pages again keeps a collection fresh: a simulation on change logs."""

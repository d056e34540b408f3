"""Which rule for revisiting pages keeps a collection fresh: a simulation on change logs."""

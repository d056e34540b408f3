"""What pages ask of crawlers and say of their own address, and what follows from it."""

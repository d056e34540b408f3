"""The tools that are compared, one module each; none imports another's library."""

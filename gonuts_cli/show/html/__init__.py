"""The replay page: one HTML file that shows games, made from their logs alone."""

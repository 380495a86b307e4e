"""Figures, side by side in one run: ratios mean something on any machine, absolute times do not."""

"""Benchmarks: what a decision costs the referee, as ratios within one run."""

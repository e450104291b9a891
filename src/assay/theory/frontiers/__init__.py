"""Theory of Pareto frontiers: what data, width, time and luck must come to, and initialisations that trade them.

`bound`: statistical queries bound the product of all resources from below. `oversparse` and `undersparse`: one step
from
sparse initial weights finds the hidden subset, with more ones than it has or with fewer. `warmup`: searching subsets.
All from Edelman, Goel, Kakade, Malach, Zhang 2023 (arXiv 2309.03800).
"""

"""Tables to tables: what a set of runs says, with its uncertainty. Polars, numpy and scipy only.

- `survival`: solve times under censoring: quantiles, solved fraction, survival curves, two-sample tests
- `powerlaw`: y = prefactor * x ** exponent, with intervals
- `bands`: quantile bands of training curves over trials
- `correlate`: rank correlation with a bootstrap interval
- `histogram`: counts, fractions and densities in bins
- `boxes`: quartiles, whiskers and extremes of solve times
- `elbows`: whether the exponent of a power law grows along x
- `growth`: how exponents grow with a parameter
- `variance`: how much of a variance lies between units, and how much within
- `neurons`: when each neuron's relevant weights exceed all others, and in which order
- `paths`: how long a path of weights is, and curves through a moving window
- `features`: which irreps neurons on pairs of group elements span, and how purely
- `laws`: the distance of a sample from a law that is known
- `boundary`: where a fraction crosses one half along a grid
- `trend`: tests of whether fractions grow along x, and whether they never fall
- `fractions`: an interval of a fraction
- `quantiles`: quantiles that stay right when some values are infinite
- `thresholds`: where a rate of success reaches a level, and by which law that grows
"""

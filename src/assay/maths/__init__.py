"""Mathematics that tasks, measures and theory share; numpy only, but for the random streams of programs."""

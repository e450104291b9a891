"""Transformers with explicit weights for sparse functions: heads (`heads`), the lookup network (`lookup`), both
together (`functions`), and what else attention can do (`beyond`). Edelman, Goel, Kakade, Zhang 2022, "Inductive biases
and variable creation in self-attention mechanisms", section 4.3 and appendix A.2.
"""

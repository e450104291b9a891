"""Capacity of attention: covering numbers (`covering`, `attention`), generalisation (`generalisation`), the Lipschitz
lemmas behind them (`lipschitz`) and what unbounded norms can do (`shattering`). All from Edelman, Goel, Kakade, Zhang
2022, "Inductive biases and variable creation in self-attention mechanisms", sections 4.1 and 4.2.
"""

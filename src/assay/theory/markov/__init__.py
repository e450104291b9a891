"""Theory of Markov chains learnt in context: what counting strategies cost, and how two steps of gradient descent make
an induction head of the minimal model.

Edelman, Edelman, Goel, Malach and Tsilivis 2024, "The evolution of statistical induction heads: in-context learning
Markov chains" (arXiv 2402.11004), as chapter 8 and appendix E of Edelman's dissertation 2024, whose numbers are used.
"""

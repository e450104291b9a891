"""Theory of easy parities: a bound on every linear method, and one gradient step that knows the hidden bits.

What fixed features cannot do (`linear`); the exact first step, on the enumerated population and in closed form at any n
(`population`, `first_step`); the features it makes and the parity read off them (`ramps`, `separator`); what the
theorem's constants come to (`constants`); online gradient descent (`descent`). All of Daniely and Malach 2020,
"Learning parities with neural networks".
"""

"""Theory as programs: closed forms, bounds and identities of the papers, with the checks that hold them to account.

Imports `assay.maths` only. A query of the command line is a function marked with `commands.theory_command`.
"""

"""The command line. `main` dispatches; each command is a module of its name, loaded when it is asked for."""

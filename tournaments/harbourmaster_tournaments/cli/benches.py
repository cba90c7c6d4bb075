"""`harbourmaster bench`: how fast this referee is, here and now."""

import typer

app = typer.Typer(help="Measure how fast the referee and the games are.", no_args_is_help=True)

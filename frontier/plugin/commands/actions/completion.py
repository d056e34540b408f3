"""``scrapy frontier completion``: what makes a shell complete the commands of Scrapy."""

from __future__ import annotations

import argparse
from typing import Any

from frontier.plugin.commands.actions import Output
from frontier.plugin.commands.base import ActionCommand, action, argument


@action("completion", argument("shell", choices=("bash", "zsh"), help="the shell you use"))
def completion(opts: argparse.Namespace) -> Output:
    """Print a script that completes the commands of Scrapy.

    In ~/.bashrc or ~/.zshrc: eval "$(scrapy frontier completion bash)", or zsh. Run inside a
    project, it knows the commands of that project too.
    """
    import shtab

    parser = _parser(opts)
    _complete_files(parser)
    script = shtab.complete(parser, opts.shell)
    return Output({"shell": opts.shell, "script": script}, script.splitlines)


def _parser(opts: argparse.Namespace) -> argparse.ArgumentParser:
    """Return a parser of all that can stand behind `scrapy`: which Scrapy has none of."""
    from scrapy.cmdline import ScrapyArgumentParser, _get_commands_dict
    from scrapy.utils.project import inside_project

    parser = ScrapyArgumentParser(prog="scrapy")
    commands = parser.add_subparsers(metavar="COMMAND")
    for name, command in _get_commands_dict(opts.settings, inside_project()).items():
        command.settings = opts.settings
        own = commands.add_parser(name, help=command.short_desc(), conflict_handler="resolve")
        command.syntax()  # asked for it, a command of ours is imported
        if isinstance(command, ActionCommand):
            command.fill(own)
        else:
            command.add_options(own)
    return parser


def _complete_files(parser: argparse.ArgumentParser) -> None:
    import shtab

    one: Any
    for one in parser._actions:
        if isinstance(one, argparse._SubParsersAction):
            for own in one.choices.values():
                _complete_files(own)
        elif any(word in str(one.metavar) for word in ("FILE", "PATH", "WARC")):
            one.complete = shtab.FILE
        elif "DIR" in str(one.metavar):
            one.complete = shtab.DIRECTORY

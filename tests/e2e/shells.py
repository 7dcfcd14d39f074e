"""Lines as interactive shells complete them: typed into bash and zsh through a terminal, asked of fish."""

import os
import pty
import re
import select
import subprocess
import time

import harness

TAB, SHOW, CLEAR = "\t", "\x18\x18", "\x15"  # Ctrl-X Ctrl-X, Ctrl-U.


class Terminal:
    """A shell whose line is shown as <line> by Ctrl-X Ctrl-X."""

    def __init__(self, words, folder, setup):
        self.process, self.file = pty.fork()
        if self.process == 0:
            os.chdir(folder)
            clean = {"PATH": os.environ["PATH"], "TERM": "vt100", "HOME": "/nonexistent", "LC_ALL": "C.UTF-8"}
            os.execvpe(words[0], words, clean)
        for command in setup:
            self.send(f" {command}\n")
        self.send(" echo set''up\n")
        self.read_until("setup")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        os.close(self.file)  # The terminal hangs up, the shell ends.
        os.waitpid(self.process, 0)

    def send(self, text):
        os.write(self.file, text.encode())

    def read_until(self, pattern):
        text, give_up = "", time.monotonic() + harness.PATIENCE_S
        while not (match := re.search(pattern, text)):
            if not select.select([self.file], [], [], max(0, give_up - time.monotonic()))[0]:
                raise AssertionError(f"the shell did not show {pattern}, but {text!r}")
            text += os.read(self.file, 4096).decode(errors="replace")
        return match

    def completed(self, line):
        self.send(CLEAR + line + TAB + SHOW)
        # What is sure to come next may be there: a space, or of a flag in zsh "=".
        return self.read_until(r"<([^<>]*)>")[1].rstrip(" =")


def bash(scripts, folder):
    return Terminal(["bash", "--norc", "--noprofile", "-i"], folder,
                    [f"source {scripts}/parterre.bash", "bind 'set bell-style none'",
                     r"""bind -x '"\C-x\C-x": printf "<%s>\n" "$READLINE_LINE"'"""])


def zsh(scripts, folder):
    return Terminal(["zsh", "-f", "-i"], folder,
                    [f"fpath=({scripts} $fpath)", "autoload -Uz compinit", "compinit -u -D",
                     "setopt no_beep no_list_beep", 'show() { print -r -- "<$BUFFER>" }',
                     "zle -N show", r"bindkey '^X^X' show"])


class Fish:
    def __init__(self, scripts, folder):
        self.scripts = scripts
        self.folder = folder

    def __enter__(self):
        return self

    def __exit__(self, *_):
        pass

    def completed(self, line):
        """The line with its last word completed, where there is one way to."""
        script = f"source {self.scripts}/parterre.fish; complete -C $argv[1]"
        run = subprocess.run(["fish", "--no-config", "-c", script, line], capture_output=True, text=True,
                             cwd=self.folder, check=True)
        words = [candidate.split("\t")[0] for candidate in run.stdout.splitlines()]
        return line if len(words) != 1 else line[: line.rfind(" ") + 1] + words[0]

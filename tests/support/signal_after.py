# SPDX-License-Identifier: MIT
"""signal_after.py SIGNAL N PATTERN COMMAND…

Sends the signal as soon as the command has printed N lines that match the regular expression; N = 0: at once. Copies
its standard output and ends with its exit code, 128 + the signal if that ended it. The signal has its default meaning
in the command: background jobs of a script ignore SIGINT.
"""
import re
import signal
import subprocess
import sys

number, lines_left, pattern = getattr(signal, "SIG" + sys.argv[1]), int(sys.argv[2]), re.compile(sys.argv[3])
restore = None if number == signal.SIGKILL else lambda: signal.signal(number, signal.SIG_DFL)
with subprocess.Popen(sys.argv[4:], stdout=subprocess.PIPE, text=True, preexec_fn=restore) as process:
    if lines_left == 0:
        process.send_signal(number)
    for line in process.stdout:
        if pattern.search(line):
            lines_left -= 1
            if lines_left == 0:
                process.send_signal(number)
        sys.stdout.write(line)
code = process.returncode
sys.exit(code if code >= 0 else 128 - code)

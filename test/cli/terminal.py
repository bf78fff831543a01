"""Runs a command on a terminal of its own: `terminal.py COLUMNS STEPS COMMAND …`.

STEPS is a JSON list of {"expect": text, "send": text}: what to type once that text has appeared; with "file" the content
of that file, once there is one. What appears goes to stdout; the exit code is the command's.
"""
import fcntl
import json
import os
import pty
import select
import struct
import sys
import termios
import time

columns, steps, command = int(sys.argv[1]), json.loads(sys.argv[2]), sys.argv[3:]
pid, terminal = pty.fork()
if pid == 0:
    os.execvp(command[0], command)
fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
seen = b""
since = 0
deadline = time.time() + 240
while time.time() < deadline:
    if select.select([terminal], [], [], 0.05)[0]:
        try:
            read = os.read(terminal, 65536)
        except OSError:
            break
        if not read:
            break
        seen += read
    if steps and steps[0]["expect"].encode() in seen[since:]:
        file = steps[0].get("file")
        if file and not os.path.exists(file):
            continue
        since = len(seen)
        time.sleep(0.2)
        step = steps.pop(0)
        os.write(terminal, open(file, "rb").read() if file else step["send"].encode())
sys.stdout.buffer.write(seen)
sys.exit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))

"""Runs a command in its own terminal: pty.py COLUMNS ROWS COMMAND...

Input on stdin is typed into the terminal, and its output goes to stdout. When the command has ended,
a line of JSON on descriptor 3 reports its exit code and whether the terminal's settings are the same
as before.
"""

import fcntl
import json
import os
import select
import struct
import sys
import termios

columns, rows = int(sys.argv[1]), int(sys.argv[2])
master, slave = os.openpty()
fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
before = termios.tcgetattr(slave)

pid = os.fork()
if pid == 0:
    os.setsid()
    fcntl.ioctl(slave, termios.TIOCSCTTY, 0)
    for target in (0, 1, 2):
        os.dup2(slave, target)
    os.closerange(3, 64)
    os.execvp(sys.argv[3], sys.argv[3:])

status = None
while True:
    readable, _, _ = select.select([master, 0], [], [], 0.05)
    if 0 in readable:
        typed = os.read(0, 65536)
        if typed == b"":
            # The test hung up. This ends the terminal, and the system signals the processes in it.
            os._exit(1)
        os.write(master, typed)
    if master in readable:
        os.write(1, os.read(master, 65536))
        continue
    if status is not None:
        break
    ended, found = os.waitpid(pid, os.WNOHANG)
    if ended == pid:
        status = found

after = termios.tcgetattr(slave)
code = os.waitstatus_to_exitcode(status)
os.write(3, json.dumps({"code": code, "restored": before == after}).encode() + b"\n")

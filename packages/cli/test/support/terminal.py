"""Runs a command in a pseudo-terminal. Types each answer after its text appears, then prints the output of the terminal.

Usage: terminal.py '[["text", "answer"], ...]' command argument...
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

answers = json.loads(sys.argv[1])
pid, terminal = pty.fork()
if pid == 0:
    fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack('HHHH', 24, 100, 0, 0))
    os.execvp(sys.argv[2], sys.argv[2:])

output = b''
searched = 0
deadline = time.monotonic() + 50
while time.monotonic() < deadline:
    ready, _, _ = select.select([terminal], [], [], 0.1)
    if ready:
        try:
            data = os.read(terminal, 65536)
        except OSError:
            break
        if not data:
            break
        output += data
    if answers:
        found = output.find(answers[0][0].encode(), searched)
        if found >= 0:
            searched = len(output)
            os.write(terminal, answers.pop(0)[1].encode())
else:
    os.kill(pid, 9)

_, status = os.waitpid(pid, 0)
sys.stdout.buffer.write(output)
sys.exit(os.waitstatus_to_exitcode(status) if os.WIFEXITED(status) else 99)

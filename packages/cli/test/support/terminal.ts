import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'

/** The path of the program that runs a command in a pseudo-terminal. */
export const terminal: string = fileURLToPath(new URL('terminal.py', import.meta.url))

/** Whether this machine can run {@link terminal}. If not, tests in a terminal are skipped. */
export const hasPython: boolean = spawnSync('python3', ['-c', 'import pty']).status === 0

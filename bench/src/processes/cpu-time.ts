import { readFile } from 'node:fs/promises'

// The kernel tells in hundredths of a second on every Linux that Node runs on (sysconf(3), _SC_CLK_TCK).
const tickMs = 10

/**
 * The time that a process has spent on processors so far, in milliseconds; `undefined` where the system has no /proc.
 * Other work on the machine slows a process down, but hardly changes this.
 */
export const cpuMs = async (pid: number): Promise<number | undefined> => {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => undefined)
  // Behind the name, which may hold blanks: see proc_pid_stat(5), fields 14 and 15.
  const fields = stat?.slice(stat.lastIndexOf(')') + 2).split(' ')
  return fields && (Number(fields[11]) + Number(fields[12])) * tickMs
}

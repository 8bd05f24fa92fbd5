import { readFile } from 'node:fs/promises'

// Linux counts in hundredths of a second on every platform of Node (sysconf(3), _SC_CLK_TCK).
const tickMs = 10

/**
 * Returns the CPU time of a process in milliseconds, or `undefined` on a system without /proc. Other work on the machine hardly
 * affects it.
 */
export const cpuMs = async (pid: number): Promise<number | undefined> => {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => undefined)
  // Fields 14 and 15 of proc_pid_stat(5). The name before them may contain blanks.
  const fields = stat?.slice(stat.lastIndexOf(')') + 2).split(' ')
  return fields && (Number(fields[11]) + Number(fields[12])) * tickMs
}

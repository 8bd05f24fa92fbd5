import { readFile } from 'node:fs/promises'

// Linux counts CPU time in hundredths of a second on every CPU architecture that Node supports (sysconf(3), _SC_CLK_TCK).
const tickMs = 10

/**
 * Returns the CPU time of a process in milliseconds, or `undefined` on a system without /proc. Other work on the machine
 * hardly affects CPU time.
 */
export const cpuMs = async (pid: number): Promise<number | undefined> => {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => undefined)
  // Fields 14 and 15 of proc_pid_stat(5) are the user and system time. The array starts with field 3, which follows the process
  // name, because the name may contain blanks.
  const fields = stat?.slice(stat.lastIndexOf(')') + 2).split(' ')
  return fields && (Number(fields[11]) + Number(fields[12])) * tickMs
}

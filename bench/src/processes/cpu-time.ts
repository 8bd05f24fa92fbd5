import { readFile } from 'node:fs/promises'

// Linux counts CPU time in hundredths of a second on every CPU architecture that Node supports (sysconf(3), _SC_CLK_TCK).
const tickMs = 10

/**
 * Returns the CPU time of a process in milliseconds, or `undefined` on a system without /proc. Unlike elapsed time, CPU
 * time hardly depends on other work on the machine.
 */
export const cpuMs = async (pid: number): Promise<number | undefined> => {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => undefined)
  // Field 2 of proc_pid_stat(5), the process name, may contain blanks. The array therefore starts after it, with field 3.
  // Fields 14 and 15 are the user and system time.
  const fields = stat?.slice(stat.lastIndexOf(')') + 2).split(' ')
  return fields && (Number(fields[11]) + Number(fields[12])) * tickMs
}

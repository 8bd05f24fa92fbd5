/**
 * Runs `work` as a user other than root, because root may open every file. A process that does not run as root keeps its user.
 * Only the effective user changes, so `access` and `existsSync` still check the permissions of root.
 */
export const withoutRoot = async <T>(work: () => Promise<T>): Promise<T> => {
  if (process.geteuid?.() !== 0) return work()
  process.seteuid?.(65_534)
  try {
    return await work()
  } finally {
    process.seteuid?.(0)
  }
}

/**
 * Returns a message for the operator if the file system rejected an operation, for example because the disk is full. Returns
 * `undefined` for any other error.
 */
export const fileSystemMessage = (error: unknown): string | undefined => {
  const { code, message } = (error ?? {}) as NodeJS.ErrnoException
  if (code === 'ENOSPC' || code === 'EDQUOT') return `The disk is full, or the disk quota is used up: ${message}`
  if (code === 'EACCES' || code === 'EPERM' || code === 'EROFS') return `The process lacks a permission: ${message}`
  return undefined
}

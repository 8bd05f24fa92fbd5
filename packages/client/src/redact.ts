const mark = '[redacted]'

/** Replaces the credential, and whatever looks like a key, in a text that others wrote. */
export const redact = (text: string, secret: string): string => text.replaceAll(secret, mark).replace(/\bfp_[\w-]+/g, mark)

/** Returns an error as it is, or a copy without secrets when it or one of its causes quotes one. */
export const redactError = (error: unknown, secret: string): unknown => {
  if (typeof error === 'string') return redact(error, secret)
  if (!(error instanceof Error)) return error
  const copy = new Error()
  let isSafe = true
  for (const name of ['name', 'message', 'stack', 'cause', ...Object.keys(error)] as 'cause'[]) {
    copy[name] = redactError(error[name], secret)
    isSafe &&= copy[name] === error[name]
  }
  return isSafe ? error : copy
}

import { isFlowpostError } from './errors.ts'
import { version } from './generated/version.ts'

// They say themselves what happened; the status beside them is that of an answer that has nothing to do with it.
const withoutStatus = /^(timeout|aborted|connection_failed|credential_failed|invalid_argument)$/

const words = /[^\s"'<>:;,=]+/g

// Keys and tokens, and what names a person. A server may have written the text, so the time must be linear in its length.
const isPrivate = (word: string): boolean => {
  if (/\bfp_[\w-]|.@./.test(word)) return true
  const token = word.search(/\beyJ[\w-]/)
  return token >= 0 && word.includes('.', token)
}

/**
 * Says what is known of a failure in a few lines that can be pasted into a ticket: code, request ids, attempts and faults.
 * Holds no keys, tokens and email addresses, and nothing of what was to be sent.
 *
 * @param error What was caught; anything else than a failure of a call gives its name and message.
 */
export const explain = (error: unknown): string => {
  const lines: string[] = []
  if (!isFlowpostError(error)) lines.push(String(error))
  else {
    // Without the message: it quotes the server, which may quote what was sent.
    const { operation, code, status, requestId, attempts, errors, retryAfterMs, cause } = error
    lines.push(`${error.name} in ${operation}`, `code       ${code}${status && !withoutStatus.test(code) ? ` (${status})` : ''}`)
    if (requestId) lines.push(`request    ${requestId}`)
    for (const [index, attempt] of attempts.entries())
      lines.push(
        `attempt ${index + 1}  ${attempt.status ?? 'no answer'} after a pause of ${attempt.delayMs} ms${attempt.requestId ? `, request ${attempt.requestId}` : ''}`,
      )
    for (const fault of errors) lines.push(`fault      ${fault.in} ${fault.pointer}: ${fault.code}`)
    if (retryAfterMs !== undefined) lines.push(`retry in   ${retryAfterMs} ms`)
    if (cause) lines.push(`cause      ${cause}`)
  }
  lines.push(`client     @flowpost/client ${version}`)
  return lines.join('\n').replace(words, (word) => (isPrivate(word) ? '[redacted]' : word))
}

import { isFlowpostError } from './errors.ts'
import { version } from './generated/version.ts'

// They say themselves what happened; the status beside them is that of an answer that has nothing to do with it.
const withoutStatus = /^(timeout|aborted|connection_failed|credential_failed|invalid_argument)$/

const maxLineLength = 300
const maxFaults = 5

const words = /[^\s"'<>:;,=]+/g

// Keys and tokens, and what names a person. A server may have written the text, so the time must be linear in its length.
const isPrivate = (word: string): boolean => {
  if (/\bfp_[\w-]|.@./.test(word)) return true
  const token = word.search(/\beyJ[\w-]/)
  return token >= 0 && word.includes('.', token)
}

/**
 * Describes a failure in at most eight lines of 300 characters that can be pasted into a ticket: code, request id,
 * attempts and faults. Holds no keys, tokens and email addresses, and nothing of what was to be sent.
 *
 * @param error What was caught; anything else than a failure of a call gives its name and message.
 */
export const explain = (error: unknown): string => {
  const lines: unknown[] = []
  if (!isFlowpostError(error)) lines.push(text(error))
  else {
    // Without the message: it quotes the server, which may quote what was sent. An error of another copy of the package may lack fields.
    const { operation, code, status, requestId, attempts = [], errors = [], retryAfterMs, cause } = error
    const tries = attempts.map(
      (attempt) => `${attempt.status ?? 'no answer'} after ${attempt.delayMs} ms${attempt.requestId ? ` (${attempt.requestId})` : ''}`,
    )
    lines.push(
      `${error.name} in ${operation}`,
      `code      ${code}${status && !withoutStatus.test(code) ? ` (${status})` : ''}`,
      requestId && `request   ${requestId}`,
      tries[0] && `attempts  ${tries.length}: ${tries.join(', ')}`,
      errors[0] &&
        `faults    ${errors.length}: ${errors
          .slice(0, maxFaults)
          .map((fault) => `${fault.in} ${fault.pointer} ${fault.code}`)
          .join(', ')}`,
      retryAfterMs !== undefined && `retry in  ${retryAfterMs} ms`,
      cause && `cause     ${text(cause)}`,
    )
  }
  return [...lines.filter(Boolean), `client    @flowpost/client ${version}`]
    .map((line) =>
      String(line)
        .replace(words, (word) => (isPrivate(word) ? '[redacted]' : word))
        .replace(/[\n\r]+/g, ' ')
        .slice(0, maxLineLength),
    )
    .join('\n')
}

// Not everything that can be thrown can be made a text of.
const text = (value: unknown): string => {
  try {
    return String(value)
  } catch {
    return typeof value
  }
}

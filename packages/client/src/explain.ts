import { isFlowpostError } from './errors.ts'
import { version } from './generated/version.ts'
import { toText } from './to-text.ts'

// Errors with these codes are not caused by a response. Their `status` comes from the last attempt and could mislead, so the
// summary omits it.
const codesWithoutStatus = /^(timeout|aborted|connection_failed|credential_failed|invalid_argument)$/

const words = /[^\s"'<>:;,=]+/g

// Matches words that contain an API key, a token or an email address. The text may come from a hostile server, so matching
// must take linear time.
const privateWord = /\bfp_[\w-]|\beyJ[\w-]|.@./

/**
 * Summarizes an error for a support ticket: code, request id, attempts and validation issues, in at most eight lines of
 * 300 characters. Redacts keys, tokens and email addresses. Omits the message of a `FlowpostError`, because it may contain
 * message content.
 *
 * @param error The caught value. A value other than a `FlowpostError` is summarized as text, such as an error's name
 * and message. That text may contain message content.
 */
export const explain = (error: unknown): string => {
  const lines: unknown[] = []
  if (!isFlowpostError(error)) lines.push(toText(error))
  else {
    // Omits the error message, which may contain message content. `attempts` and `errors` have defaults, because an error from
    // another version of this package may lack these fields.
    const { operation, code, status, requestId, attempts = [], errors = [], retryAfterMs, cause } = error
    const attemptTexts = attempts.map(
      (attempt) => `${attempt.status ?? 'no response'} after ${attempt.delayMs} ms${attempt.requestId ? ` (${attempt.requestId})` : ''}`,
    )
    lines.push(
      `${error.name} in ${operation}`,
      `code      ${code}${status && !codesWithoutStatus.test(code) ? ` (${status})` : ''}`,
      requestId && `request   ${requestId}`,
      attemptTexts[0] && `attempts  ${attemptTexts.length}: ${attemptTexts.join(', ')}`,
      errors[0] &&
        `issues    ${errors.length}: ${errors.map((issue) => [issue.in, issue.pointer, issue.code].map(toText).join(' ')).join(', ')}`,
      retryAfterMs !== undefined && `retry in  ${retryAfterMs} ms`,
      cause && `cause     ${toText(cause)}`,
    )
  }
  lines.push(`client    @flowpost/client ${version}`)
  return (lines.filter(Boolean) as string[])
    .map((line) =>
      line
        .replace(words, (word) => (privateWord.test(word) ? '[redacted]' : word))
        .replace(/[\p{C}\u2028\u2029]+/gu, ' ')
        .slice(0, 300),
    )
    .join('\n')
}

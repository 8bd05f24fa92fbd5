import { explain, isFlowpostError } from '@flowpost/client'
import { CliError } from './cli-error.ts'
import type { Io } from './io.ts'
import { createPaint } from './output/colors.ts'
import { toSafeJson, toSafeLine, toSafeText } from './output/terminal-text.ts'

const hints: Readonly<Record<string, string>> = {
  unauthenticated: 'The key is wrong, expired or revoked. Run `flowpost login` with another key.',
  scope_missing: 'Run `flowpost whoami` to see the permissions of the key.',
  not_found:
    'The resource does not exist, this key has no access to it, or the URL of the server has a wrong path. Run `flowpost whoami` to see which key is used.',
  connection_failed: 'Is the server running, and is its URL right? Run `flowpost doctor`.',
  timeout: 'Run `flowpost doctor`, or allow more time with --timeout.',
  unexpected_response: 'The URL leads to another server or to a proxy. Run `flowpost doctor`.',
  etag_mismatch: 'The settings have changed since they were read. Run the command again to see the current state.',
  integration_missing: "Configure the provider's credentials, then run `flowpost check`.",
}

/** Prints an error: what happened and what to do. For a failed request, also prints a summary for a support ticket. */
export const reportError = (error: unknown, { stderr, env }: Io, isJson: boolean): void => {
  if (isJson) {
    stderr.write(`${toSafeJson({ error: toErrorObject(error) })}\n`)
    return
  }
  const paint = createPaint(stderr, env)
  const print = (line: string) => void stderr.write(`${line}\n`)
  if (error instanceof CliError) {
    print(`${paint('red', 'Error:')} ${toSafeText(error.message)}`)
    if (error.hint !== undefined) print(toSafeText(error.hint))
    return
  }
  if (isFlowpostError(error)) {
    print(`${paint('red', 'Error:')} ${toSafeLine(error.message)}`)
    for (const { in: part, pointer, message } of error.errors) print(`  ${toSafeLine(`${part} ${pointer}: ${message}`)}`)
    const hint = hints[error.code]
    if (hint !== undefined) print(hint)
    print('')
    for (const line of explain(error).split('\n')) print(paint('dim', line))
    return
  }
  // Any other error, such as the `TypeError` that the client throws for an invalid URL or key.
  print(`${paint('red', 'Error:')} ${explain(error)}`)
}

const toErrorObject = (error: unknown): object => {
  if (isFlowpostError(error))
    return {
      code: error.code,
      message: error.message,
      status: error.status ?? null,
      request_id: error.requestId ?? null,
      errors: error.errors,
    }
  if (error instanceof CliError) return { code: 'usage', message: error.message, hint: error.hint ?? null }
  return { code: 'internal', message: explain(error).split('\n')[0] }
}

import { parseArgs } from 'node:util'
import type { ConformanceTarget, Receiver, UnconfiguredProvider } from '../conformance/index.ts'

/** The parsed command. */
export type ConformanceCommand =
  | {
      readonly kind: 'run'
      readonly target: ConformanceTarget
      readonly only: RegExp | undefined
      /** Milliseconds for one scenario; `undefined` for the default. */
      readonly timeoutMs: number | undefined
    }
  | { readonly kind: 'list' }
  | { readonly kind: 'help' }

export const conformanceHelp = `Checks a running Flowpost server against the API contract.

  npx flowpost-conformance --base-url https://flowpost.example.com --api-key fp_...

  --base-url <url>        The URL of the server. Default: FLOWPOST_BASE_URL.
  --api-key <key>         An API key with all scopes and access to all projects. Default: FLOWPOST_API_KEY.
  --other-api-key <key>   An API key of another user. Without it, scenarios with two users are skipped.
                          Default: FLOWPOST_OTHER_API_KEY.
  --receiver <r>          The receiver of messages, such as smtp:ops@example.com. Messages are scheduled days
                          ahead and canceled. Default: smtp:conformance@example.com.
  --deliver               Deliver messages to the receiver. Without it, scenarios that deliver are skipped.
  --unconfigured <name>   A provider for which the deployment has no credentials: mailgun, smtp or slack. Without
                          this option, scenarios about missing credentials are skipped.
  --captures              The deployment captures messages for providers without credentials.
  --body-limit <bytes>    The FLOWPOST_BODY_LIMIT_BYTES of the deployment. Default: 1048576.
  --timeout <seconds>     The time limit of one scenario, 1 to 3600 seconds. Some scenarios wait up to 30 s for a delivery.
                          Default: 60.
  --only <pattern>        Run only the scenarios whose name matches this regular expression.
  --list                  List the scenarios by operation and status without running them.
  --help                  Show this help.

The command deletes the projects and API keys that it creates. Canceled deliveries remain in the log until their retention period ends.
The rate limit of the API key must allow several thousand requests per minute.
`

const credentials: Readonly<Record<string, Omit<UnconfiguredProvider, 'source_type' | 'isCaptured'>>> = {
  mailgun: {
    target: 'conformance@example.com',
    settings: { domain: 'mail.example.com', from: 'conformance@example.com' },
    secrets: { api_key: 'conformance' },
  },
  smtp: {
    target: 'conformance@example.com',
    settings: { host: 'smtp.example.com', from: 'conformance@example.com' },
    secrets: {},
  },
  slack: { target: 'C024BE91L', settings: {}, secrets: { token: 'xoxb-conformance' } },
}

const readReceiver = (text: string): Receiver => {
  const [, source_type, target] = /^([a-z][a-z0-9-]*):(.+)$/.exec(text) ?? []
  if (source_type === undefined || target === undefined) throw new TypeError('--receiver must have the form smtp:ops@example.com.')
  return { source_type, target }
}

const readUnconfigured = (source_type: string, isCaptured: boolean): UnconfiguredProvider => {
  const sample = credentials[source_type]
  if (!sample) throw new TypeError(`--unconfigured must be one of ${Object.keys(credentials).join(', ')}.`)
  return { source_type, ...sample, isCaptured }
}

const readTimeoutMs = (text: string): number => {
  const seconds = /^\d{1,4}$/.test(text) ? Number(text) : 0
  if (seconds < 1 || seconds > 3_600) throw new TypeError('--timeout must be a number of seconds from 1 to 3600.')
  return seconds * 1_000
}

const readPattern = (text: string): RegExp => {
  try {
    return new RegExp(text, 'i')
  } catch {
    throw new TypeError('--only must be a regular expression.')
  }
}

/**
 * Parses the arguments of the command.
 *
 * @throws {TypeError} For an invalid argument. The message contains no API keys.
 */
export const parseConformanceArguments = (
  args: readonly string[],
  environment: Readonly<Record<string, string | undefined>>,
): ConformanceCommand => {
  const { values } = parseArgs({
    args: [...args],
    options: {
      'base-url': { type: 'string' },
      'api-key': { type: 'string' },
      'other-api-key': { type: 'string' },
      receiver: { type: 'string' },
      deliver: { type: 'boolean' },
      unconfigured: { type: 'string' },
      captures: { type: 'boolean' },
      'body-limit': { type: 'string' },
      timeout: { type: 'string' },
      only: { type: 'string' },
      list: { type: 'boolean' },
      help: { type: 'boolean' },
    },
  })
  if (values.help) return { kind: 'help' }
  if (values.list) return { kind: 'list' }
  const baseUrl = values['base-url'] ?? environment['FLOWPOST_BASE_URL']
  const apiKey = values['api-key'] ?? environment['FLOWPOST_API_KEY']
  const otherApiKey = values['other-api-key'] ?? environment['FLOWPOST_OTHER_API_KEY']
  if (!baseUrl || !URL.canParse(baseUrl)) throw new TypeError('--base-url must be the URL of the server.')
  if (!apiKey) throw new TypeError('--api-key must be a key with all scopes.')
  const bodyLimit = values['body-limit']
  if (bodyLimit !== undefined && !/^\d{1,12}$/.test(bodyLimit)) throw new TypeError('--body-limit must be a number of bytes.')
  const target: ConformanceTarget = {
    baseUrl: baseUrl.replace(/\/+$/, ''),
    apiKey,
    mayDeliver: values.deliver ?? false,
    ...(otherApiKey ? { otherApiKey } : {}),
    ...(values.receiver === undefined ? {} : { receiver: readReceiver(values.receiver) }),
    ...(values.unconfigured === undefined ? {} : { unconfigured: readUnconfigured(values.unconfigured, values.captures ?? false) }),
    ...(bodyLimit === undefined ? {} : { bodyLimitBytes: Number(bodyLimit) }),
  }
  return {
    kind: 'run',
    target,
    only: values.only === undefined ? undefined : readPattern(values.only),
    timeoutMs: values.timeout === undefined ? undefined : readTimeoutMs(values.timeout),
  }
}

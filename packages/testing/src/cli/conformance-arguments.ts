import { parseArgs } from 'node:util'
import type { ConformanceTarget, Receiver, UnconfiguredProvider } from '../conformance/index.ts'

/** What the command was asked to do. */
export type ConformanceCommand =
  | { readonly kind: 'run'; readonly target: ConformanceTarget; readonly only: RegExp | undefined }
  | { readonly kind: 'list' }
  | { readonly kind: 'help' }

export const conformanceHelp = `Holds a Flowpost server against the interface, from outside.

  npx flowpost-conformance --base-url https://flowpost.example.com --api-key fp_...

  --base-url <url>        Where the server is. Default: FLOWPOST_BASE_URL.
  --api-key <key>         A key with all scopes, for every project. Default: FLOWPOST_API_KEY.
  --other-api-key <key>   The same of another user. Without it, what concerns two users is skipped.
                          Default: FLOWPOST_OTHER_API_KEY.
  --receiver <r>          Who messages are for, as in smtp:ops@example.com. They are scheduled for days ahead and
                          canceled. Default: smtp:conformance@example.com.
  --deliver               Really send one message to the receiver. Without it, what needs it is skipped.
  --unconfigured <name>   A provider that the deployment has no credentials for: mailgun, smtp or slack. Without it,
                          what happens without credentials is skipped.
  --captures              The deployment captures messages that it has no credentials for.
  --body-limit <bytes>    FLOWPOST_BODY_LIMIT_BYTES of the deployment. Default: 1048576.
  --only <pattern>        Run the scenarios whose name matches this regular expression.
  --list                  Show which scenario covers which operation and status, and run nothing.
  --help                  Show this.

The projects and keys that it makes are removed again; the log of canceled deliveries stays until retention ends.
The rate limit of the key must allow some thousand requests in a minute.
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
  if (source_type === undefined || target === undefined) throw new TypeError('--receiver must be like smtp:ops@example.com.')
  return { source_type, target }
}

const readUnconfigured = (source_type: string, isCaptured: boolean): UnconfiguredProvider => {
  const known = credentials[source_type]
  if (!known) throw new TypeError(`--unconfigured must be one of ${Object.keys(credentials).join(', ')}.`)
  return { source_type, ...known, isCaptured }
}

const readPattern = (text: string): RegExp => {
  try {
    return new RegExp(text, 'i')
  } catch {
    throw new TypeError('--only must be a regular expression.')
  }
}

/**
 * Reads the arguments of the command.
 * @throws TypeError that says what is wrong. Keys are not repeated.
 */
export const readConformanceArguments = (
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
  return { kind: 'run', target, only: values.only === undefined ? undefined : readPattern(values.only) }
}

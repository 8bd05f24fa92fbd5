import { parseArgs } from 'node:util'
import type { ConformanceTarget, Receiver, UnconfiguredProvider } from '../conformance/index.ts'
import type { ComparisonOptions } from '../conformance/model/index.ts'

/** The parsed command line of `flowpost-conformance`. */
export type ConformanceCommand =
  | {
      readonly kind: 'run'
      readonly target: ConformanceTarget
      readonly only: RegExp | undefined
      /** The time limit of one scenario in milliseconds, or `undefined` for the default. */
      readonly timeoutMs: number | undefined
    }
  | { readonly kind: 'model'; readonly target: ConformanceTarget; readonly options: ComparisonOptions }
  | { readonly kind: 'list' }
  | { readonly kind: 'help' }

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
  if (source_type === undefined || target === undefined)
    throw new TypeError('--receiver must have the form provider:target, such as smtp:ops@example.com.')
  return { source_type, target }
}

const readUnconfigured = (source_type: string, isCaptured: boolean): UnconfiguredProvider => {
  const sample = credentials[source_type]
  if (!sample) throw new TypeError(`--unconfigured must be one of ${Object.keys(credentials).join(', ')}.`)
  return { source_type, ...sample, isCaptured }
}

const readTimeoutMs = (text: string): number => {
  const seconds = /^\d{1,4}$/.test(text) ? Number(text) : 0
  if (seconds < 1 || seconds > 3_600) throw new TypeError('--timeout must be a whole number of seconds from 1 to 3600.')
  return seconds * 1_000
}

const readPattern = (text: string): RegExp => {
  try {
    return new RegExp(text, 'i')
  } catch {
    throw new TypeError('--only must be a regular expression.')
  }
}

/** The options that require `--model`. */
const modelOptions = ['runs', 'steps', 'seed', 'path'] as const
/** The options that cannot be combined with `--model`. */
const scenarioOptions = ['other-api-key', 'unconfigured', 'captures', 'body-limit', 'timeout', 'only'] as const

const readNumber = (name: string, text: string | undefined, min: number): number | undefined => {
  if (text === undefined) return undefined
  if (!/^\d{1,10}$/.test(text) || Number(text) < min) throw new TypeError(`--${name} must be an integer of at least ${min}.`)
  return Number(text)
}

type ModelValues = { readonly [Name in (typeof modelOptions)[number]]?: string | undefined }

const readModelOptions = ({ runs, steps, seed, path }: ModelValues): ComparisonOptions => {
  if (path !== undefined && !/^\d+(:\d+)*$/.test(path)) throw new TypeError('--path must be numbers separated by colons, such as 12:0:3.')
  if (path !== undefined && seed === undefined) throw new TypeError('--path requires --seed.')
  const numbers = { runs: readNumber('runs', runs, 1), maxSteps: readNumber('steps', steps, 1), seed: readNumber('seed', seed, 0) }
  const given = Object.fromEntries(Object.entries(numbers).filter(([, value]) => value !== undefined))
  return { ...given, ...(path === undefined ? {} : { path }) }
}

/**
 * Parses the arguments of `flowpost-conformance`.
 *
 * @throws {TypeError} For an invalid argument. The message contains no option values.
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
      model: { type: 'boolean' },
      runs: { type: 'string' },
      steps: { type: 'string' },
      seed: { type: 'string' },
      path: { type: 'string' },
      list: { type: 'boolean' },
      help: { type: 'boolean' },
    },
  })
  if (values.help) return { kind: 'help' }
  if (values.list) return { kind: 'list' }
  const baseUrl = values['base-url'] ?? environment['FLOWPOST_BASE_URL']
  const apiKey = values['api-key'] ?? environment['FLOWPOST_API_KEY']
  const otherApiKey = values['other-api-key'] ?? environment['FLOWPOST_OTHER_API_KEY']
  if (!baseUrl || !URL.canParse(baseUrl)) throw new TypeError('--base-url or FLOWPOST_BASE_URL must be the URL of the server.')
  if (!apiKey) throw new TypeError('--api-key or FLOWPOST_API_KEY must be set to a key with all scopes.')
  const bodyLimit = values['body-limit']
  if (bodyLimit !== undefined && !/^\d{1,12}$/.test(bodyLimit))
    throw new TypeError('--body-limit must be a whole number of bytes with at most 12 digits.')
  const target: ConformanceTarget = {
    baseUrl: baseUrl.replace(/\/+$/, ''),
    apiKey,
    mayDeliver: values.deliver ?? false,
    ...(otherApiKey ? { otherApiKey } : {}),
    ...(values.receiver === undefined ? {} : { receiver: readReceiver(values.receiver) }),
    ...(values.unconfigured === undefined ? {} : { unconfigured: readUnconfigured(values.unconfigured, values.captures ?? false) }),
    ...(bodyLimit === undefined ? {} : { bodyLimitBytes: Number(bodyLimit) }),
  }
  const foreign = (values.model ? scenarioOptions : modelOptions).find((name) => name in values)
  if (foreign !== undefined) throw new TypeError(`--${foreign} ${values.model ? 'cannot be used with' : 'requires'} --model.`)
  if (values.model) return { kind: 'model', target, options: readModelOptions(values) }
  return {
    kind: 'run',
    target,
    only: values.only === undefined ? undefined : readPattern(values.only),
    timeoutMs: values.timeout === undefined ? undefined : readTimeoutMs(values.timeout),
  }
}

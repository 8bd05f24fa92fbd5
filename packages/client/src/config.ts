import { type Clock, maxTimerMs, systemClock } from './calls/call-deadline.ts'
import { version } from './generated/version.ts'
import type { CallOptions, FlowpostOptions } from './options.ts'

/** The validated options of a client, with defaults applied. */
export interface Config extends Pick<FlowpostOptions, 'maxRetries' | 'fetch' | 'logger' | 'hooks' | 'onDeprecation' | 'lock' | 'onDrift'> {
  /** The base URL without a trailing slash. */
  readonly baseUrl: string
  readonly credential: () => Promise<string>
  readonly timeout: number
  readonly attemptTimeout: number
  readonly clock: Clock
  readonly random: () => number
  /**
   * The `User-Agent` header, such as `flowpost-client/1.0.0 Node.js/24`. `false` in browsers, where CORS would require the
   * server to allow one more header.
   */
  readonly userAgent: string | false
}

interface Globals {
  readonly process?: { readonly env?: Record<string, string | undefined>; readonly versions?: { readonly node?: string } }
  readonly document?: unknown
  readonly importScripts?: unknown
}

const globals = globalThis as Globals

/**
 * Returns whether the code runs in a browser's page or web worker, where the API key is not secret.
 * Web workers have `importScripts` instead of `document`; server-side worker runtimes have neither. jsdom has a
 * `document`, but runs in Node.
 */
const isBrowser = (): boolean => !!(globals.document ?? globals.importScripts) && !globals.process?.versions?.node

/**
 * Returns the value of an option, or of its environment variable if the option is not set. Does not read the variable
 * if the option is set, because reading it makes Deno ask for permission.
 */
const required = <T>(option: T | undefined, name: string, variable: string): T | string => {
  const value = option ?? globals.process?.env?.[variable]
  if (!value) throw new TypeError(`Set ${name} or ${variable}.`)
  return value
}

/**
 * Validates the options of a client and applies defaults.
 *
 * @throws {TypeError} When an option is missing or invalid, or in a browser without `dangerouslyAllowBrowser`. The message
 * never contains the value of an option.
 */
export const parseConfig = (options: FlowpostOptions): Config => {
  if (isBrowser() && !options.dangerouslyAllowBrowser)
    throw new TypeError('A browser exposes the API key to its users. Use the client on a server, or set dangerouslyAllowBrowser.')
  const apiKey = required(options.apiKey, 'apiKey', 'FLOWPOST_API_KEY')
  if (typeof apiKey !== 'function') validateToken(apiKey)
  const config: Config = {
    ...options,
    baseUrl: parseBaseUrl(required(options.baseUrl, 'baseUrl', 'FLOWPOST_BASE_URL')),
    credential: async () => validateToken(typeof apiKey === 'function' ? await apiKey() : apiKey),
    timeout: options.timeout ?? 60_000,
    attemptTimeout: options.attemptTimeout ?? 30_000,
    clock: options.clock ?? systemClock,
    random: options.random ?? Math.random,
    // Node 20 has no `navigator`, so the client sends the Node version instead of `navigator.userAgent`. In worker runtimes that
    // have neither a `navigator` nor a Node version, the client sends `Node.js/undefined`.
    userAgent:
      !isBrowser() && `flowpost-client/${version} ${globalThis.navigator?.userAgent ?? `Node.js/${globals.process?.versions?.node}`}`,
  }
  validateLimits(config)
  return config
}

const parseBaseUrl = (value: string): string => {
  // Not parsed with `new URL`, because its error would contain the value, which may include a password.
  if (!/^https?:\/\/[^\s/?#@\\][^\s?#@\\]*$/i.test(value))
    throw new TypeError('baseUrl must be an http(s) URL without credentials, query or fragment.')
  return value.replace(/\/+$/, '')
}

// `fetch` would also reject a token with a line break, but its error would contain the token.
const validateToken = (token: unknown): string => {
  if (typeof token !== 'string' || !/^[!-~]+$/.test(token)) throw new TypeError('apiKey must be visible ASCII.')
  return token
}

/** Returns the entries of an object, except those whose value is `undefined`. */
export const definedEntries = (object: object): [string, string][] => Object.entries(object).filter(([, value]) => value !== undefined)

/**
 * Validates timeouts and retry limits.
 *
 * @throws {TypeError} When a number is out of range.
 */
export const validateLimits = ({
  timeout,
  attemptTimeout,
  maxRetries,
}: Pick<CallOptions, 'timeout' | 'attemptTimeout' | 'maxRetries'>): void => {
  for (const [name, value] of definedEntries({ timeout, attemptTimeout }))
    if (typeof value !== 'number' || !(value > 0 && value <= maxTimerMs)) throw new TypeError(`${name} must be 1 to ${maxTimerMs} ms.`)
  if (maxRetries !== undefined && (Math.floor(maxRetries) !== maxRetries || maxRetries < 0))
    throw new TypeError('maxRetries must be a non-negative integer.')
}

import { type Clock, systemClock } from './clock.ts'
import type { CallOptions, FlowpostOptions } from './options.ts'

/** The options of a client, checked and complete. */
export interface Config extends Pick<FlowpostOptions, 'fetch' | 'logger' | 'hooks' | 'onDeprecation'> {
  /** Without a slash at its end. */
  readonly baseUrl: string
  readonly credential: () => Promise<string>
  readonly timeout: number
  readonly attemptTimeout: number
  readonly maxRetries: number | undefined
  readonly clock: Clock
  readonly random: () => number
}

interface Globals {
  readonly process?: { readonly env?: Record<string, string | undefined>; readonly versions?: { readonly node?: string } }
  readonly document?: unknown
  readonly importScripts?: unknown
}

const globals = globalThis as Globals

// Web workers have no document, and no worker runtime of a server has `importScripts`.
// jsdom has a document too, but runs in Node, where the key is safe.
export const inBrowser = (): boolean => (globals.document ?? globals.importScripts) !== undefined && !globals.process?.versions?.node

// Read only when needed: Deno asks for permission.
const environment = (name: string): string | undefined => globals.process?.env?.[name]

/** @throws {TypeError} When an option is missing or not usable. The message never holds its value. */
export const readConfig = (options: FlowpostOptions): Config => {
  if (inBrowser() && !options.dangerouslyAllowBrowser)
    throw new TypeError('In a browser everybody can read the API key. Call Flowpost from a server, or set dangerouslyAllowBrowser.')
  const apiKey = options.apiKey ?? environment('FLOWPOST_API_KEY')
  if (!apiKey) throw new TypeError('Set apiKey or FLOWPOST_API_KEY.')
  if (typeof apiKey !== 'function') checkToken(apiKey)
  const config: Config = {
    ...options,
    baseUrl: readBaseUrl(options.baseUrl ?? environment('FLOWPOST_BASE_URL')),
    credential: async () => checkToken(typeof apiKey === 'function' ? await apiKey() : apiKey),
    timeout: options.timeout ?? 60_000,
    attemptTimeout: options.attemptTimeout ?? 30_000,
    maxRetries: options.maxRetries,
    clock: options.clock ?? systemClock,
    random: options.random ?? Math.random,
  }
  checkLimits(config)
  return config
}

const readBaseUrl = (value: string | undefined): string => {
  if (!value) throw new TypeError('Set baseUrl or FLOWPOST_BASE_URL.')
  // Credentials, a query or a fragment have no place in it; an invalid one must not be quoted by the parser's error.
  if (!/^https?:\/\/[^\s/?#@\\]+(\/[^\s?#@\\]*)?$/i.test(value))
    throw new TypeError('baseUrl must be an http or https URL without credentials, query and fragment.')
  return value.replace(/\/+$/, '')
}

// A line break would make `fetch` throw an error that quotes the whole header.
const checkToken = (token: unknown): string => {
  if (typeof token !== 'string' || !/^[\x21-\x7e]+$/.test(token)) throw new TypeError('apiKey must be visible ASCII characters.')
  return token
}

/** @throws {TypeError} When a number is out of its range. */
export const checkLimits = ({
  timeout,
  attemptTimeout,
  maxRetries,
}: Pick<CallOptions, 'timeout' | 'attemptTimeout' | 'maxRetries'>): void => {
  // Timers take 32 bits; beyond that they fire at once.
  for (const [name, value] of Object.entries({ timeout, attemptTimeout }))
    if (value !== undefined && !(typeof value === 'number' && value > 0 && value < 2 ** 31))
      throw new TypeError(`${name} must be from 1 to 2147483647 milliseconds.`)
  if (maxRetries !== undefined && (Math.floor(maxRetries) !== maxRetries || maxRetries < 0))
    throw new TypeError('maxRetries must be a whole number from 0.')
}

import { explain, type Flowpost, isFlowpostError } from '@flowpost/client'
import { isLoopback } from '../environments/loopback.ts'
import type { Io } from '../io.ts'
import { version } from '../version.ts'
import type { Finding } from './finding.ts'

/** Time limit of a request that is sent without the key, in milliseconds. */
const probeTimeoutMs = 5_000

/**
 * The smallest clock difference, in milliseconds, that the command reports as a problem. Network delay and the resolution
 * of the `Date` header can explain smaller differences.
 */
const maxClockDifferenceMs = 30_000

const probe = (io: Io, url: string): Promise<Response> =>
  io.fetch(url, {
    headers: { accept: 'application/json' },
    redirect: 'manual',
    signal: AbortSignal.any([io.signal, AbortSignal.timeout(probeTimeoutMs)]),
  })

const causeOf = (error: unknown): string => {
  const { cause } = error as { cause?: { code?: unknown; message?: unknown } }
  return String(cause?.code ?? cause?.message ?? (error as Error).message)
}

const serverProblem = (detail: string, action: string): Finding[] => [{ check: 'server', status: 'problem', detail, action }]

// Matches the second line of the /readyz response while messages are on hold.
const onHold = /^on hold\b/m

const held: Finding = {
  check: 'hold',
  status: 'problem',
  detail: 'The server accepts messages but sends none, because its database was restored or copied.',
  action:
    'Set FLOWPOST_AFTER_RESTORE and restart the server. `send` sends all pending messages. `cancel` cancels the pending messages that were accepted before the database was restored or copied.',
}

/** Checks that a server answers at the URL, that it is ready, and that no messages are on hold after a restore. Does not send the key. */
export const checkConnection = async (io: Io, baseUrl: string): Promise<Finding[]> => {
  const startedAt = performance.now()
  try {
    const response = await probe(io, `${baseUrl}/readyz`)
    const durationMs = Math.round(performance.now() - startedAt)
    if (response.status === 503)
      return serverProblem(
        'The server is running, but it is not ready (503 from /readyz).',
        'Read the server log. The server is starting or stopping, or its database is unavailable.',
      )
    if (response.status !== 200)
      return serverProblem(
        `${baseUrl}/readyz returned ${response.status} instead of 200.`,
        'Correct the URL with `flowpost login`. If the URL is already correct, check the proxy in front of the server.',
      )
    const server: Finding = { check: 'server', status: 'ok', detail: `${baseUrl} answers in ${durationMs} ms` }
    return onHold.test(await response.text()) ? [server, held] : [server]
  } catch (error) {
    if (io.signal.aborted) throw error
    return serverProblem(
      `${baseUrl} does not answer: ${causeOf(error)}`,
      'Start the server, or correct the URL with `flowpost login`. Check DNS, firewalls and proxies.',
    )
  }
}

/** Checks that requests to the server are encrypted, unless the server runs on this machine. */
export const checkEncryption = (baseUrl: string): Finding[] => {
  const { protocol, hostname } = new URL(baseUrl)
  if (protocol === 'https:' || isLoopback(hostname)) return []
  const action = 'Use an https URL, with a proxy that terminates TLS in front of the server.'
  return [{ check: 'encryption', status: 'warning', detail: 'Others on the network can read the key and the messages.', action }]
}

/** Returns the version that a server's start page states, or `undefined` if the page states none. */
const readServerVersion = async (io: Io, baseUrl: string): Promise<string | undefined> => {
  try {
    const body: unknown = await (await probe(io, `${baseUrl}/`)).json()
    const found = typeof body === 'object' && body !== null && 'version' in body ? body.version : undefined
    return typeof found === 'string' ? found : undefined
  } catch {
    return undefined
  }
}

// Reads the SDK's version from the last line of a summary by `explain`, because the SDK does not export its version.
const sdkVersion = (): string => /@flowpost\/client (\S+)$/.exec(explain(''))?.[1] ?? 'unknown'

const majorOf = (text: string): string => text.split('.')[0] ?? ''

/** Checks that the server and this program have the same major version. Also reports the versions of the SDK and Node. */
export const checkVersions = async (io: Io, baseUrl: string): Promise<Finding> => {
  const server = await readServerVersion(io, baseUrl)
  const detail = `server ${server ?? 'unknown'}, flowpost ${version}, @flowpost/client ${sdkVersion()}, Node ${process.versions.node}`
  if (server === undefined || majorOf(server) === majorOf(version)) return { check: 'versions', status: 'ok', detail }
  return {
    check: 'versions',
    status: 'warning',
    detail,
    action: 'Update the older of the two, so that server and CLI have the same major version.',
  }
}

/**
 * Checks that the server accepts the key, and that the server's clock agrees with this machine's. Access tokens and
 * expiry times depend on the clock.
 */
export const checkKeyAndClock = async (io: Io, flowpost: Flowpost): Promise<Finding[]> => {
  const startedAt = io.now()
  let date: string | null = null
  try {
    date = (await flowpost.projects.list({ limit: 1 }, { signal: io.signal }).withResponse()).response.headers.get('date')
  } catch (error) {
    if (!isFlowpostError(error)) throw error
    if (error.code === 'unauthenticated') {
      const action = 'The key is wrong, expired or revoked. Run `flowpost login` with another key.'
      return [{ check: 'key', status: 'problem', detail: 'The server rejects the key.', action }]
    }
    if (error.code !== 'scope_missing') {
      const action = 'Read the server log. If the response is from a proxy, correct the URL with `flowpost login`.'
      return [{ check: 'key', status: 'problem', detail: error.message, action }]
    }
  }
  const accepted: Finding = { check: 'key', status: 'ok', detail: 'The server accepts the key.' }
  const serverTime = date === null ? Number.NaN : Date.parse(date)
  if (Number.isNaN(serverTime)) return [accepted]
  const differenceMs = serverTime - (startedAt + io.now()) / 2
  const seconds = Math.round(Math.abs(differenceMs) / 1_000)
  if (Math.abs(differenceMs) < maxClockDifferenceMs) return [accepted, { check: 'clock', status: 'ok', detail: `${seconds} s apart` }]
  const detail = `The server clock is ${seconds} s ${differenceMs > 0 ? 'ahead of' : 'behind'} this machine.`
  return [accepted, { check: 'clock', status: 'problem', detail, action: 'Synchronize both clocks with NTP.' }]
}

import type { RequestListener } from 'node:http'
import type { RetryPolicy } from '@flowpost/domain'
import { provisionKeys } from './features/api-keys/provision-keys.ts'
import { connectionLimit, logRejectedConnections } from './http/connections/connection-limit.ts'
import { holdRequests } from './http/connections/hold-until-ready.ts'
import { listen } from './http/connections/listen.ts'
import { createProbeServer, createProbes } from './http/pages/probe-server.ts'
import { createServices, type Services, type ServicesOptions } from './services.ts'
import { closeAll } from './shared/close-all.ts'

/** The options of {@link startApp}. */
export interface AppOptions extends ServicesOptions {
  /** Returns a uniform random number in [0, 1). @default Math.random */
  readonly random?: () => number
  /** The retry schedule. @default the policy in `config` */
  readonly retryPolicy?: RetryPolicy
  /** How long, in milliseconds, messages in flight may take at shutdown before they are aborted. @default 15,000 */
  readonly shutdownGraceMs?: number
}

/** A running server. */
export interface App {
  readonly port: number
  /**
   * The API key that startup created for the user `local`, because the embedded database had no keys; to be printed
   * once. `undefined` if startup created no key.
   */
  readonly firstKey: string | undefined
  /** The token in the outbox link, to be printed once. `undefined` if this process has no outbox link. */
  readonly outboxToken: string | undefined
  /** Whether messages are on hold because the database was restored. */
  readonly onHold: boolean
  /** The ids of all providers. */
  readonly sourceTypes: readonly string[]
  /** The ids of the providers loaded from the files in `FLOWPOST_PROVIDERS`. */
  readonly loadedProviders: readonly string[]
  /**
   * Stops accepting requests and jobs, finishes or reschedules those in flight, and closes the database.
   * @throws the error of the step that failed, or an `AggregateError` if several steps failed. Every step runs, even after a
   * failure.
   */
  close(): Promise<void>
}

// How long requests in flight may take at shutdown. The worker's grace period runs at the same time. The longer of the two
// periods, plus the time to close the database, must stay below `maxShutdownMs` in `shutdown.ts`.
const requestGraceMs = 8_000
const defaultShutdownGraceMs = 15_000

/**
 * Starts a server. If `options.signal` aborts, startup stops before its next step.
 * @throws the abort reason of `options.signal`, or the error of the step that failed. Before the function throws, it closes
 * everything that it has opened.
 */
export const startApp = async (options: AppOptions): Promise<App> => {
  const stack = new AsyncDisposableStack()
  let closing: Promise<void> | undefined
  try {
    return { ...(await start(options, stack)), close: () => (closing ??= closeAll(stack)) }
  } catch (error) {
    await closeAll(stack).catch((cause: unknown) => options.log.warn({ err: cause }, 'Could not clean up after the failed start.'))
    throw error
  }
}

const start = async (options: AppOptions, stack: AsyncDisposableStack): Promise<Omit<App, 'close'>> => {
  const { config, log, signal, random = Math.random, retryPolicy = config.retryPolicy, shutdownGraceMs = defaultShutdownGraceMs } = options
  const services = await createServices(options, stack)
  signal?.throwIfAborted()
  const worker =
    config.role === 'api'
      ? undefined
      : (await import('./start-worker.ts')).createBackgroundWork(services, { random, retryPolicy, graceMs: shutdownGraceMs })
  stack.defer(() => worker?.stop())
  const server = await startListening(services, stack)
  // At shutdown, deferred steps run in reverse order, so the following step runs first. The step makes the worker claim no more
  // jobs, but does not wait until the worker has stopped. Open requests then finish. After that, the step deferred before
  // `startListening` waits until the worker has stopped. If stopping the worker fails, only that later step reports the error.
  stack.defer(() => void worker?.stop().catch(() => {}))
  signal?.throwIfAborted()
  // Provisioning the bootstrap keys can revoke keys. A failed start must not revoke a key, so this step comes after every other
  // step that may fail. A worker serves no API, so it ignores FLOWPOST_BOOTSTRAP_KEYS.
  const { bootstrapKeys } = config
  const { clock, database } = services
  const firstKey = config.role === 'worker' ? undefined : await provisionKeys({ database, clock, log, bootstrapKeys })
  signal?.throwIfAborted()
  // The worker starts last. If the server fails to start, the worker is thus not yet sending a message.
  if (worker) worker.start()
  else services.restoreHold.start()
  server.release()
  const { channels, loadedProviders, outboxSession, restoreHold } = services
  const onHold = restoreHold.isOnHold()
  return { port: server.port, firstKey, onHold, outboxToken: outboxSession?.token, sourceTypes: channels.ids, loadedProviders }
}

/** Binds the port. Requests wait until `release` is called. */
const startListening = async (services: Services, stack: AsyncDisposableStack): Promise<{ port: number; release: () => void }> => {
  const { config, log, completions, eventWakes } = services
  const maxConnections = connectionLimit(config.maxConnections)
  const onRejected = logRejectedConnections(log, maxConnections, () => performance.now())
  const held = holdRequests(await createListener(services))
  const server = await listen(held.listener, config.host, config.port, { maxConnections }, onRejected)
  stack.defer(() => server.close(requestGraceMs))
  stack.defer(held.drop)
  // Runs before `server.close`, which waits for open requests. This step ends all waits for a completion or an event, so that
  // the waiting requests are answered at once.
  stack.defer(async () => void (await Promise.all([completions.stop(), eventWakes.stop()])))
  return { port: server.port, release: held.release }
}

/** Creates the request listener for the configured role. A worker does not load Express. */
const createListener = async (services: Services): Promise<RequestListener> => {
  const { config, log, metrics } = services
  if (config.role !== 'worker') return (await import('./start-api.ts')).createApiApp(services)
  const pages = [...createProbes({ ...services, isOnHold: services.restoreHold.isOnHold }), metrics.page]
  return createProbeServer({ log, measureRequests: metrics.measureRequests, pages })
}

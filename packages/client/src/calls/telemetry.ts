import type { Config } from '../config.ts'
import type { LockedDigests } from '../lock.ts'
import type { RequestEvent, ResultEvent } from '../options.ts'

/** Reports a client's attempts and calls to hooks, the logger and diagnostics channels. */
export interface Telemetry {
  request(event: RequestEvent): void
  result(event: ResultEvent): void
  /**
   * Reads the headers of a response. Reports the operation if it is deprecated, and `project` if its settings have changed.
   * Reports each operation and each project at most once.
   */
  headers(headers: Headers, operation: string, project: string | undefined): void
  /**
   * Runs a call. If the platform has diagnostics channels, publishes the start and the end of the call with `context`. Never
   * publishes the result.
   */
  trace<T>(run: () => Promise<T>, context: object): Promise<T>
}

interface TracingChannel {
  /** Whether the channel has subscribers. `undefined` on platforms that do not support the property. */
  readonly hasSubscribers?: boolean
  tracePromise(run: () => Promise<void>, context: object): Promise<void>
}

interface DiagnosticsChannel {
  tracingChannel?(name: string): TracingChannel
}

// `node:diagnostics_channel` is not imported, because bundlers for browsers and workers could not resolve the import.
const channel = (globalThis as { process?: { getBuiltinModule?(name: string): DiagnosticsChannel | undefined } }).process
  ?.getBuiltinModule?.('node:diagnostics_channel')
  ?.tracingChannel?.('flowpost.call')

// The projects whose drift has been reported. Each entry is the project's object in the `lock` option. All clients share this
// set, so that clients with the same `lock` object report each project only once.
const drifted = new WeakSet<LockedDigests['projects'][string]>()

/** Creates the telemetry of a client. */
export const createTelemetry = ({ hooks, logger, onDeprecation, lock, onDrift }: Config): Telemetry => {
  const reportedDeprecations = new Set<string>()
  // A listener or logger that throws or rejects must not break a call.
  const notify = <E>(listener: ((event: E) => unknown) | undefined, event: E) => {
    if (listener)
      (async () => listener(event))()
        .catch((error) => logger?.warn(`flowpost: a hook threw: ${error}`))
        .catch(() => {})
  }
  return {
    request: (event) => notify(hooks?.onRequest, event),
    result: (event) => {
      if (logger) {
        const { status, error, retryInMs, requestId } = event
        // If a failed attempt has no response or a 2xx status, only the error code shows what failed. With any other status,
        // the log line omits the error code, because the code may come from an untrusted response body.
        const outcome = [status, (status ?? 0) < 300 && error?.code].filter(Boolean).join(' ')
        const line = `flowpost: ${event.operation} ${event.method} ${event.path} attempt ${event.attempt}: ${outcome} in ${event.durationMs} ms${requestId ? `, request ${requestId}` : ''}`
        notify(() => (retryInMs === undefined ? logger.debug(line) : logger.warn(`${line}; retry in ${retryInMs} ms`)), 0)
      }
      notify(hooks?.onResult, event)
    },
    headers: (headers, operation, project = '') => {
      const locked = onDrift && headers.get('flowpost-settings-changed') && lock?.projects[project]
      if (locked && !drifted.has(locked)) {
        drifted.add(locked)
        notify(onDrift, { project })
      }
      const deprecated = headers.get('deprecation')
      const sunset = headers.get('sunset')
      if ((!deprecated && !sunset) || reportedDeprecations.has(operation)) return
      reportedDeprecations.add(operation)
      const notice = {
        operation,
        // RFC 9745 uses seconds since the epoch, as in `@1688169599`; earlier drafts used a date.
        deprecatedAt: parseDate(deprecated?.startsWith('@') ? Number(deprecated.slice(1)) * 1000 : deprecated),
        sunsetAt: parseDate(sunset),
        link: headers.get('link') ?? undefined,
      }
      notify(
        onDeprecation ??
          (({ sunsetAt }) =>
            logger?.warn(`flowpost: ${operation} is deprecated${sunsetAt ? ` and will be removed on ${sunsetAt.toJSON()}` : ''}`)),
        notice,
      )
    },
    trace: <T>(run: () => Promise<T>, context: object) => {
      if (!channel || channel.hasSubscribers === false) return run()
      let result: T
      // The channel publishes the value of the promise that it traces. A response may contain a new API key or message content,
      // so the traced promise has no value.
      const runWithoutResult = async () => {
        result = await run()
      }
      return channel.tracePromise(runWithoutResult, context).then(() => result)
    },
  }
}

const parseDate = (value: string | number | null | undefined): Date | undefined => {
  const date = new Date(value as string)
  return date.getTime() ? date : undefined
}

import type { Config } from './config.ts'
import type { RequestEvent, ResultEvent } from './options.ts'

/** Tells hooks, logger and diagnostics channels what happens. */
export interface Telemetry {
  request(event: RequestEvent): void
  result(event: ResultEvent): void
  deprecation(operation: string, headers: Headers): void
  /** Runs a call; where the platform has diagnostics channels, its start and end are published with `context`, never its result. */
  trace<T>(run: () => Promise<T>, context: object): Promise<T>
}

interface TracingChannel {
  /** Not known on every platform. */
  readonly hasSubscribers?: boolean
  tracePromise(run: () => Promise<void>, context: object): Promise<void>
}

interface DiagnosticsChannel {
  tracingChannel?(name: string): TracingChannel
}

// Not an import: browsers and workers have no such module, and bundlers would stumble over it.
const channel = (globalThis as { process?: { getBuiltinModule?(name: string): DiagnosticsChannel | undefined } }).process
  ?.getBuiltinModule?.('node:diagnostics_channel')
  ?.tracingChannel?.('flowpost.call')

export const createTelemetry = ({ hooks, logger, onDeprecation }: Config): Telemetry => {
  const announced = new Set<string>()
  // Whatever throws or rejects here, the logger included, must not break a call.
  const tell = <E>(listener: ((event: E) => unknown) | undefined, event: E) => {
    if (listener)
      new Promise((resolve) => resolve(listener(event))).catch((error) => logger?.warn(`flowpost: a hook threw: ${error}`)).catch(() => {})
  }
  return {
    request: (event) => tell(hooks?.onRequest, event),
    result: (event) => {
      if (logger) {
        const { status, error, retryInMs, requestId } = event
        // An answer that broke off looks like a success by its status. With other statuses the code may be any text of a server.
        const outcome = [status, (status ?? 0) < 300 && error?.code].filter(Boolean).join(' ')
        const line = `flowpost: ${event.operation} ${event.method} ${event.path} attempt ${event.attempt}: ${outcome} in ${event.durationMs} ms${requestId ? `, request ${requestId}` : ''}`
        tell(() => (retryInMs === undefined ? logger.debug(line) : logger.warn(`${line}; again in ${retryInMs} ms`)), 0)
      }
      tell(hooks?.onResult, event)
    },
    deprecation: (operation, headers) => {
      const deprecated = headers.get('deprecation')
      const sunset = headers.get('sunset')
      if ((!deprecated && !sunset) || announced.has(operation)) return
      announced.add(operation)
      const notice = {
        operation,
        // RFC 9745 writes seconds since the epoch as `@1688169599`; drafts before it wrote a date.
        deprecatedAt: date(deprecated?.startsWith('@') ? Number(deprecated.slice(1)) * 1000 : deprecated),
        sunsetAt: date(sunset),
        link: headers.get('link') ?? undefined,
      }
      tell(
        onDeprecation ??
          (({ sunsetAt }) =>
            logger?.warn(`flowpost: ${operation} is deprecated${sunsetAt ? ` and ends on ${sunsetAt.toISOString()}` : ''}`)),
        notice,
      )
    },
    trace: <T>(run: () => Promise<T>, context: object) => {
      if (!channel || channel.hasSubscribers === false) return run()
      let result: T
      // The channel publishes what the promise that it traces resolves to, and an answer may hold a new key or what was sent.
      const traced = async () => {
        result = await run()
      }
      return channel.tracePromise(traced, context).then(() => result)
    },
  }
}

const date = (value: string | number | null | undefined): Date | undefined => {
  const parsed = new Date(value as string)
  return parsed.getTime() ? parsed : undefined
}

import type { Request, RequestHandler, Response } from 'express'
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import type { Clock } from '../../shared/clock.ts'
import type { TextPage } from './page.ts'

/** The metrics of deliveries. */
export interface DeliveryMetrics {
  /**
   * Counts an attempt after its outcome is recorded.
   * @param outcome `sent`, `captured`, `retrying`, `failed` or `ambiguous`.
   */
  attempted(sourceType: string, outcome: string): void
}

/** The metrics of a process. They contain no user data. */
export interface Metrics {
  readonly deliveries: DeliveryMetrics
  /** Measures requests. Register it before other handlers. */
  readonly measureRequests: RequestHandler
  /** The page `/metrics` in the Prometheus text format. */
  readonly page: TextPage
}

/** The dependencies of {@link createMetrics}. */
export interface MetricsDeps {
  readonly version: string
  readonly clock: Clock
  /** Returns the number of pending jobs. Called when the metrics are scraped, at most once per {@link depthCacheMs}. */
  readonly queueDepth: () => Promise<number>
  /** Returns by how many seconds this machine's clock is ahead of the database's clock. */
  readonly clockSkewSeconds: () => number
}

/** How long, in milliseconds, the queue depth is cached. */
export const depthCacheMs = 5_000

// A scrape must not wait for an unreachable database.
const depthTimeoutMs = 2_000

// In seconds: from the duration of a cached read to that of a request with `?wait=60`.
const buckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60]

// The key of a response's start time in `response.locals`.
const startedAt = 'measuredFrom'

const methods = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])

/**
 * Returns the route label of a request: the path template of the operation or page, never the path itself. Metrics thus hold
 * no ids, and clients cannot create time series.
 */
const routeOf = (request: Request): string => {
  const { tsRestRoute } = request as { tsRestRoute?: { path: string } }
  if (tsRestRoute) return tsRestRoute.path
  const path: unknown = request.baseUrl === '' ? request.route?.path : undefined
  return typeof path === 'string' ? path : 'other'
}

let processRegistry: Registry | undefined

/** Returns the registry with the metrics of the process itself, which all servers in the process share. */
const processMetrics = (): Registry => {
  if (!processRegistry) {
    processRegistry = new Registry()
    collectDefaultMetrics({ register: processRegistry })
  }
  return processRegistry
}

/** Returns the value of the promise, or `undefined` when it rejects or takes longer than `ms`. */
const withTimeout = <T>(promise: Promise<T>, ms: number): Promise<T | undefined> => {
  let timer: NodeJS.Timeout | undefined
  const timeout = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), ms)
  })
  return Promise.race([promise.catch(() => undefined), timeout]).finally(() => clearTimeout(timer))
}

/** Creates the metrics of one server. */
export const createMetrics = ({ version, clock, queueDepth, clockSkewSeconds }: MetricsDeps): Metrics => {
  const registry = new Registry()
  const registers = [registry]
  const requests = new Histogram({
    name: 'http_request_duration_seconds',
    help: 'Time from the start of a request to the end of its response. Status 499 means that the client disconnected before the end.',
    labelNames: ['method', 'route', 'status'],
    buckets,
    registers,
  })
  const attempts = new Counter({
    name: 'flowpost_delivery_attempts_total',
    help: 'Delivery attempts that this process has made and recorded.',
    labelNames: ['source_type', 'outcome'],
    registers,
  })
  new Gauge({ name: 'flowpost_build_info', help: 'Always 1. The label holds the version.', labelNames: ['version'], registers }).set(
    { version },
    1,
  )

  new Gauge({
    name: 'flowpost_clock_skew_seconds',
    help: "How far this machine's clock is ahead of the database's clock. The process ends when the clocks differ by more than 60 seconds.",
    registers,
    collect() {
      this.set(clockSkewSeconds())
    },
  })

  // A shared function instead of a closure; `request-context.ts` explains why.
  function measure(this: Response): void {
    const labels = {
      method: methods.has(this.req.method) ? this.req.method : 'OTHER',
      route: routeOf(this.req),
      status: this.writableFinished ? this.statusCode : 499,
    }
    requests.observe(labels, (performance.now() - (this.locals[startedAt] as number)) / 1000)
  }

  let cached: { readAtMs: number; depth: Promise<number | undefined> } | undefined
  new Gauge({
    name: 'flowpost_queue_depth',
    help: 'Pending deliveries in the whole deployment. Every process reports the same number. Absent while the database is unreachable.',
    registers,
    async collect() {
      const nowMs = clock.now().getTime()
      if (!cached || Math.abs(nowMs - cached.readAtMs) >= depthCacheMs)
        cached = { readAtMs: nowMs, depth: withTimeout(queueDepth(), depthTimeoutMs) }
      const depth = await cached.depth
      if (depth === undefined) this.remove()
      else this.set(depth)
    },
  })

  const all = Registry.merge([registry, processMetrics()])
  return {
    page: { path: '/metrics', render: async () => ({ status: 200, type: all.contentType, text: await all.metrics() }) },
    deliveries: { attempted: (sourceType, outcome) => attempts.inc({ source_type: sourceType, outcome }) },
    measureRequests: (_request, response, next) => {
      response.locals[startedAt] = performance.now()
      response.on('close', measure)
      next()
    },
  }
}

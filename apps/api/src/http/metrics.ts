import type { Request, RequestHandler, Response } from 'express'
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import type { Clock } from '../shared/clock.ts'
import type { TextPage } from './text-page.ts'

/** Counts what becomes of deliveries. */
export interface DeliveryMetrics {
  /**
   * Counts an attempt whose outcome was recorded.
   * @param outcome how it ended: `sent`, `captured`, `retrying`, `failed` or `ambiguous`.
   */
  attempted(sourceType: string, outcome: string): void
}

/** What a process tells about itself, without data of any user. */
export interface Metrics {
  readonly deliveries: DeliveryMetrics
  /** Measures every request that comes after it. */
  readonly measureRequests: RequestHandler
  /** `GET /metrics`, in the text format of Prometheus. */
  readonly page: TextPage
}

/** What metrics are made of. */
export interface MetricsDeps {
  readonly version: string
  readonly clock: Clock
  /** How many jobs wait. Asked at a scrape, at most once in {@link depthKeptMs}. */
  readonly queueDepth: () => Promise<number>
  /** How far the clock of this machine is ahead of the database's, in seconds. */
  readonly clockSkewSeconds: () => number
}

/** How long the depth of the queue is taken for the present one. */
export const depthKeptMs = 5_000

// A scrape must not wait for a database that is away.
const depthTimeoutMs = 2_000

// From a cached read to a `?wait=60`.
const buckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60]

// Where an answer has the time of its beginning.
const startedAt = 'measuredFrom'

const methods = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])

/**
 * What a request is counted under: the template of the operation or page that it reached, never what the
 * client wrote, so that no id gets into the metrics and nobody can make up series.
 */
const routeOf = (request: Request): string => {
  const { tsRestRoute } = request as { tsRestRoute?: { path: string } }
  if (tsRestRoute) return tsRestRoute.path
  const path: unknown = request.baseUrl === '' ? request.route?.path : undefined
  return typeof path === 'string' ? path : 'other'
}

let ofProcess: Registry | undefined

/** The metrics of the process, once, however many servers it holds. */
const processMetrics = (): Registry => {
  if (!ofProcess) {
    ofProcess = new Registry()
    collectDefaultMetrics({ register: ofProcess })
  }
  return ofProcess
}

const within = <T>(promise: Promise<T>, ms: number): Promise<T | undefined> => {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), ms)
  })
  return Promise.race([promise.catch(() => undefined), late]).finally(() => clearTimeout(timer))
}

/** Makes the metrics of one server. */
export const createMetrics = ({ version, clock, queueDepth, clockSkewSeconds }: MetricsDeps): Metrics => {
  const own = new Registry()
  const registers = [own]
  const requests = new Histogram({
    name: 'http_request_duration_seconds',
    help: 'Time from the first line of a request to the end of its answer; status 499 when the client left before that.',
    labelNames: ['method', 'route', 'status'],
    buckets,
    registers,
  })
  const attempts = new Counter({
    name: 'flowpost_delivery_attempts_total',
    help: 'Attempts to deliver that this process has made and recorded.',
    labelNames: ['source_type', 'outcome'],
    registers,
  })
  new Gauge({ name: 'flowpost_build_info', help: 'Always 1; the version is in the label.', labelNames: ['version'], registers }).set(
    { version },
    1,
  )

  new Gauge({
    name: 'flowpost_clock_skew_seconds',
    help: 'How far the clock of this machine is ahead of the clock of the database. Above 60, either way, the process ends.',
    registers,
    collect() {
      this.set(clockSkewSeconds())
    },
  })

  // One function for all requests, as in `request-id.ts`.
  function measure(this: Response): void {
    const labels = {
      method: methods.has(this.req.method) ? this.req.method : 'OTHER',
      route: routeOf(this.req),
      status: this.writableFinished ? this.statusCode : 499,
    }
    requests.observe(labels, (performance.now() - (this.locals[startedAt] as number)) / 1000)
  }

  let read: { atMs: number; depth: Promise<number | undefined> } | undefined
  new Gauge({
    name: 'flowpost_queue_depth',
    help: 'Deliveries that wait, in the whole deployment: every process tells the same number. Missing while the database is away.',
    registers,
    async collect() {
      const nowMs = clock.now().getTime()
      if (!read || Math.abs(nowMs - read.atMs) >= depthKeptMs) read = { atMs: nowMs, depth: within(queueDepth(), depthTimeoutMs) }
      const depth = await read.depth
      if (depth === undefined) this.remove()
      else this.set(depth)
    },
  })

  const all = Registry.merge([own, processMetrics()])
  return {
    page: { path: '/metrics', answer: async () => ({ status: 200, type: all.contentType, text: await all.metrics() }) },
    deliveries: { attempted: (sourceType, outcome) => attempts.inc({ source_type: sourceType, outcome }) },
    measureRequests: (_request, response, next) => {
      response.locals[startedAt] = performance.now()
      response.on('close', measure)
      next()
    },
  }
}

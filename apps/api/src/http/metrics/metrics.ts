import type { Request, RequestHandler, Response } from 'express'
import { collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import type { TextPage } from '../pages/serve-page.ts'
import { statusOfClosed } from '../response-status.ts'
import { type AcceptanceMetrics, createAcceptanceMetrics, createDeliveryMetrics, type DeliveryMetrics } from './delivery-metrics.ts'
import { createEventMetrics, type EventMetrics } from './event-metrics.ts'
import { registerStateMetrics, type StateSources } from './state-metrics.ts'

/** The metrics of a process. They contain no user data. */
export interface Metrics {
  readonly acceptance: AcceptanceMetrics
  readonly deliveries: DeliveryMetrics
  readonly events: EventMetrics
  /** Records the duration of requests. Must be registered before any handler that sends a response. */
  readonly measureRequests: RequestHandler
  /** The page `/metrics` in the Prometheus text format. */
  readonly page: TextPage
}

/** The dependencies of {@link createMetrics}. */
export interface MetricsDeps extends StateSources {
  readonly version: string
  /**
   * The role of the process. It decides which metrics are exported: an API process does not deliver messages, and a worker
   * does not accept notifications.
   */
  readonly role: 'all' | 'api' | 'worker'
  /** The source types of the registered providers. */
  readonly sourceTypes: readonly string[]
}

// Durations of requests, in seconds. The lowest bucket fits a cached read, and the highest fits a request with `?wait=60`.
const buckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60]

// The key in `response.locals` under which a request's start time is stored.
const startedAt = 'measuredFrom'

const methods = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])

/** Returns the path template of the operation or page that a request matches; `undefined` if it matches none. */
export const routeOf = (request: Request): string | undefined => {
  const { tsRestRoute } = request as { tsRestRoute?: { path: string } }
  if (tsRestRoute) return tsRestRoute.path
  const path: unknown = request.baseUrl === '' ? request.route?.path : undefined
  return typeof path === 'string' ? path : undefined
}

let processRegistry: Registry | undefined

/** Returns the registry with the process's default metrics, such as memory use. All servers in the process share it. */
const processMetrics = (): Registry => {
  if (!processRegistry) {
    processRegistry = new Registry()
    collectDefaultMetrics({ register: processRegistry })
  }
  return processRegistry
}

/** Creates the metrics of one server. */
export const createMetrics = ({ version, role, sourceTypes, ...sources }: MetricsDeps): Metrics => {
  const registry = new Registry()
  const registers = [registry]
  const requests = new Histogram({
    name: 'http_request_duration_seconds',
    help: 'Time from the start of a request to the end of its response. Status 499: the client disconnected before the response ended.',
    labelNames: ['method', 'route', 'status'],
    buckets,
    registers,
  })
  new Gauge({ name: 'flowpost_build_info', help: 'Always 1. The label holds the version.', labelNames: ['version'], registers }).set(
    { version },
    1,
  )

  registerStateMetrics(registers, sources)
  // Metrics without a registry are not exported.
  const acceptance = createAcceptanceMetrics(role === 'worker' ? [] : registers)
  const deliveries = createDeliveryMetrics(role === 'api' ? [] : registers, sourceTypes)

  const events = createEventMetrics(role === 'api' ? [] : registers)

  // A shared function instead of a closure; `request-context.ts` explains why.
  function measure(this: Response): void {
    const labels = {
      method: methods.has(this.req.method) ? this.req.method : 'OTHER',
      // The label is the path template instead of the path, so that metrics contain no ids and clients cannot create time series.
      route: routeOf(this.req) ?? 'other',
      status: statusOfClosed(this),
    }
    requests.observe(labels, (performance.now() - (this.locals[startedAt] as number)) / 1000)
  }

  const all = Registry.merge([registry, processMetrics()])
  return {
    page: { path: '/metrics', render: async () => ({ status: 200, type: all.contentType, text: await all.metrics() }) },
    acceptance,
    deliveries,
    events,
    measureRequests: (_request, response, next) => {
      response.locals[startedAt] = performance.now()
      response.on('close', measure)
      next()
    },
  }
}

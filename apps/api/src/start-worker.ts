import type { RetryPolicy } from '@flowpost/domain'
import { createBusyMeter, createVacuum } from './database/vacuum.ts'
import { createCircuitBreakers } from './features/delivery/circuit-breaker.ts'
import { createRetention } from './features/delivery/retention.ts'
import { createDeliveryWorker } from './features/delivery/worker.ts'
import type { Services } from './services.ts'

// Together shorter than what orchestrators usually wait before they kill (30 s).
const graceMs = 15_000
const pollMs = 500
const concurrency = 200

/**
 * Starts what a process does that delivers: the worker, retention, and the vacuum of an embedded database. Gives the
 * function that ends all of it.
 */
export const startWorker = (services: Services, options: { random: () => number; retryPolicy: RetryPolicy }): (() => Promise<void>) => {
  const { config, metrics } = services
  const worker = createDeliveryWorker({
    ...services,
    ...options,
    deliveryMetrics: metrics.deliveries,
    ambiguous: config.ambiguous,
    breakers: createCircuitBreakers(() => performance.now()),
    budgetMs: options.retryPolicy.budgetMs,
    logContent: config.logContent,
    concurrency,
    projectConcurrency: 2 * config.smtpConnections,
    pollMs,
  })
  const retention = createRetention({ ...services, contentMs: config.retentionContentMs, logMs: config.retentionLogMs })
  // A server has autovacuum.
  const { database } = services
  const vacuum =
    database.kind === 'embedded' ? createVacuum({ ...services, busy: createBusyMeter(database.connection.utilization) }) : undefined
  worker.start()
  retention.start()
  vacuum?.start()
  return async () => {
    await Promise.all([worker.stop(graceMs), retention.stop(), vacuum?.stop()])
  }
}

import type { RetryPolicy } from '@flowpost/domain'
import { createBusyMeter, createUpkeep } from './database/upkeep.ts'
import { createCircuitBreakers } from './features/delivery/circuit-breaker.ts'
import { createRetention } from './features/delivery/retention.ts'
import { createDeliveryWorker } from './features/delivery/worker.ts'
import type { Parts } from './parts.ts'

// Together shorter than what orchestrators usually wait before they kill (30 s).
const graceMs = 15_000
const pollMs = 500
const concurrency = 200

/**
 * Starts what a process does that delivers: the worker, retention, and the upkeep of an embedded database. Gives the
 * function that ends all of it.
 */
export const startDelivering = (parts: Parts, options: { random: () => number; retryPolicy: RetryPolicy }): (() => Promise<void>) => {
  const { config, metrics } = parts
  const worker = createDeliveryWorker({
    ...parts,
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
  const retention = createRetention({ ...parts, contentMs: config.retentionContentMs, logMs: config.retentionLogMs })
  // A server has autovacuum.
  const { database } = parts
  const upkeep =
    database.kind === 'embedded' ? createUpkeep({ ...parts, busy: createBusyMeter(database.connection.utilization) }) : undefined
  worker.start()
  retention.start()
  upkeep?.start()
  return async () => {
    await Promise.all([worker.stop(graceMs), retention.stop(), upkeep?.stop()])
  }
}

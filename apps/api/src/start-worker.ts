import type { RetryPolicy } from '@flowpost/domain'
import { createBusyMeter, createVacuum } from './database/vacuum.ts'
import { createBulkActionRunner } from './features/bulk-actions/bulk-action-runner.ts'
import { createRetention } from './features/delivery/retention.ts'
import { createCircuitBreakers } from './features/delivery/throttle/circuit-breaker.ts'
import { createDeliveryWorker } from './features/delivery/worker/worker.ts'
import { createErasureWorker } from './features/erasures/erasure-worker.ts'
import { createPushWorker } from './features/events/push/push-worker.ts'
import { createEventSender } from './features/events/push/send-event.ts'
import type { Services } from './services.ts'

/**
 * The background work of a process that delivers messages: the delivery worker, bulk actions, event pushes, erasures,
 * retention, and the embedded database's vacuum.
 */
export interface BackgroundWork {
  start(): void
  /** Stops claiming jobs at once, then finishes or aborts the work in flight. Further calls return the same promise. */
  stop(): Promise<void>
}

const pollMs = 500
const concurrency = 200

/** Creates the background work. Nothing runs before it is started. */
export const createBackgroundWork = (
  services: Services,
  { random, retryPolicy, graceMs }: { readonly random: () => number; readonly retryPolicy: RetryPolicy; readonly graceMs: number },
): BackgroundWork => {
  const { config, log, clock, database, queue, registry, credentials, providerClient, recipients, metrics, restoreHold } = services
  const breakers = createCircuitBreakers(() => performance.now())
  metrics.deliveries.watchBreakers(breakers.countOpen)
  const worker = createDeliveryWorker({
    database,
    clock,
    log,
    queue,
    registry,
    credentials,
    providerClient,
    recipients,
    recordEvents: services.recordEvents,
    random,
    retryPolicy,
    deliveryMetrics: metrics.deliveries,
    tracing: services.tracing,
    ambiguous: config.ambiguous,
    breakers,
    capturesAll: config.capture === 'on',
    logContent: config.logContent,
    // With both off, messages must not remain stored, and nobody can read captured messages.
    storesCaptured: config.logContent || config.outbox !== 'off',
    concurrency,
    projectConcurrency: 2 * config.smtpConnections,
    pollMs,
  })
  const bulkActions = createBulkActionRunner({
    database,
    clock,
    log,
    queue,
    queueLimit: services.queueLimit,
    recipients,
    recordEvents: services.recordEvents,
    random,
    logContent: config.logContent,
    maxPending: config.queueLimit,
  })
  const erasures = createErasureWorker({
    database,
    clock,
    channels: services.channels,
    recipients,
    recordEvents: services.recordEvents,
    log,
  })
  const pushWorker = createPushWorker({
    database,
    log,
    random,
    retryPolicy,
    sendEvent: createEventSender({ providerClient, encryption: services.encryption, clock }),
    countPush: metrics.events.pushed,
  })
  const retention = createRetention({
    database,
    clock,
    log,
    contentMs: config.retentionContentMs,
    logMs: config.retentionLogMs,
    eventsMs: config.retentionEventsMs,
    historyMs: config.retentionHistoryMs,
  })
  // Only the embedded database needs this task, because PostgreSQL servers have autovacuum.
  const vacuum =
    database.kind === 'embedded' ? createVacuum({ database, log, busy: createBusyMeter(database.connection.utilization) }) : undefined
  let stopped: Promise<void> | undefined
  const stopAll = async (): Promise<void> => {
    await Promise.all([
      // Stop the hold before the workers. Otherwise, the end of the hold could start workers that have already been stopped.
      restoreHold.stop(),
      worker.stop(graceMs),
      pushWorker.stop(graceMs),
      bulkActions.stop(),
      erasures.stop(),
      retention.stop(),
      vacuum?.stop(),
    ])
  }
  return {
    start: () => {
      restoreHold.start(() => {
        worker.start()
        bulkActions.start()
        pushWorker.start()
      })
      retention.start()
      erasures.start()
      vacuum?.start()
    },
    stop: () => (stopped ??= stopAll()),
  }
}

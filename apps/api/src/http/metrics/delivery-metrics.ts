import { Counter, Gauge, Histogram, type Registry } from 'prom-client'

/** The metrics of accepted notifications. */
export interface AcceptanceMetrics {
  /**
   * Counts a notification after it is stored.
   * @param test whether the notification was sent with a test key.
   */
  accepted(test: boolean): void
}

/** The metrics of deliveries. */
export interface DeliveryMetrics {
  /**
   * Counts an attempt after its outcome is recorded.
   * @param outcome `sent`, `captured`, `retrying`, `failed` or `ambiguous`.
   */
  attempted(sourceType: string, outcome: string): void
  /**
   * Counts a delivery when an attempt gives it a final status.
   * @param failureKind the kind of the delivery's failure; `undefined` if the message was sent.
   */
  settled(sourceType: string, status: string, failureKind?: string): void
  /**
   * Records the latency of a delivery that was sent.
   * @param latencySeconds the time in seconds from when the delivery became due until the status `sent` was recorded. A
   * delivery becomes due when it is accepted or, if later, at its `send_at`. A requested retry makes the delivery due again.
   */
  delivered(sourceType: string, latencySeconds: number): void
  /**
   * Counts jobs of all messages, including test messages.
   * @param count the number of jobs that were completed or rescheduled.
   */
  processed(count: number): void
  /** Counts each time that outcomes could not be recorded because the database was unavailable. */
  recordingFailed(): void
  /**
   * Sets the function that returns the number of open circuit breakers. Until a function is set, the metric has no
   * value.
   */
  watchBreakers(countOpen: () => number): void
}

// Latencies in seconds. The lowest bucket is for messages that are sent at once, and the highest for messages whose provider was
// unavailable for a day. The service level objective uses the bucket of 30 s.
const latencyBuckets = [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 900, 3_600, 21_600, 86_400]

/** The label of deliveries through providers that the process does not have. */
const otherSourceType = 'other'

const outcomes = ['sent', 'captured', 'retrying', 'failed', 'ambiguous']
const failureKinds = ['target', 'credential', 'content', 'rate', 'provider']
const finalStates = [
  { status: 'sent', failure_kind: 'none' },
  ...failureKinds.map((kind) => ({ status: 'failed', failure_kind: kind })),
  { status: 'failed', failure_kind: 'ambiguous' },
  { status: 'ambiguous', failure_kind: 'ambiguous' },
]

/** Creates the metrics of a process that accepts notifications. */
export const createAcceptanceMetrics = (registers: Registry[]): AcceptanceMetrics => {
  const accepted = new Counter({
    name: 'flowpost_accepted_total',
    help: 'Notifications that this process has accepted and stored, except those from test keys. A replayed response is not counted again.',
    registers,
  })
  const tests = new Counter({
    name: 'flowpost_accepted_tests_total',
    help: 'Notifications that this process has accepted from test keys. Of the other counters and histograms, only flowpost_jobs_processed_total includes them.',
    registers,
  })
  return { accepted: (test) => (test ? tests : accepted).inc() }
}

/**
 * Creates the metrics of a process that delivers messages. Deliveries through providers that are not in `sourceTypes`
 * share the label `other`, so the number of time series depends only on the configuration.
 */
export const createDeliveryMetrics = (registers: Registry[], sourceTypes: readonly string[]): DeliveryMetrics => {
  const attempts = new Counter({
    name: 'flowpost_delivery_attempts_total',
    help: 'Delivery attempts that this process has made and recorded.',
    labelNames: ['source_type', 'outcome'],
    registers,
  })
  const settled = new Counter({
    name: 'flowpost_deliveries_settled_total',
    help: 'Deliveries that reached a final status in an attempt by this process. Captured messages count as sent. Deliveries canceled between attempts are not counted.',
    labelNames: ['source_type', 'status', 'failure_kind'],
    registers,
  })
  const latency = new Histogram({
    name: 'flowpost_delivery_latency_seconds',
    help: "Time from a delivery's acceptance, its send_at or its requested retry, whichever is latest, until it was recorded as sent.",
    labelNames: ['source_type'],
    buckets: latencyBuckets,
    registers,
  })
  const processed = new Counter({
    name: 'flowpost_jobs_processed_total',
    help: 'Jobs that this process has completed or rescheduled, including jobs of test messages, and jobs that ended without an attempt. While jobs are due, this counter grows.',
    registers,
  })
  const recordingFailures = new Counter({
    name: 'flowpost_outcome_recording_failures_total',
    help: 'Failures to record outcomes while the database was unavailable. Until outcomes are recorded, this process sends nothing.',
    registers,
  })
  let countOpenBreakers: (() => number) | undefined
  new Gauge({
    name: 'flowpost_circuit_breakers_open',
    help: 'Open circuit breakers in this process, one for each failing credential, webhook URL or Teams workflow URL. An open breaker delays all attempts except probes.',
    registers,
    collect() {
      if (countOpenBreakers) this.set(countOpenBreakers())
      else this.remove()
    },
  })

  // Starts each series at zero, so that `rate()` sees its first increment.
  for (const source_type of new Set([...sourceTypes, otherSourceType])) {
    for (const outcome of outcomes) attempts.inc({ source_type, outcome }, 0)
    for (const state of finalStates) settled.inc({ source_type, ...state }, 0)
    latency.zero({ source_type })
  }

  const known = new Set(sourceTypes)
  const labelOf = (sourceType: string): string => (known.has(sourceType) ? sourceType : otherSourceType)
  return {
    attempted: (sourceType, outcome) => attempts.inc({ source_type: labelOf(sourceType), outcome }),
    settled: (sourceType, status, failureKind = 'none') =>
      settled.inc({ source_type: labelOf(sourceType), status, failure_kind: failureKind }),
    // A clock that is set back must not produce a negative latency.
    delivered: (sourceType, latencySeconds) => latency.observe({ source_type: labelOf(sourceType) }, Math.max(0, latencySeconds)),
    processed: (count) => processed.inc(count),
    recordingFailed: () => recordingFailures.inc(),
    watchBreakers: (countOpen) => {
      countOpenBreakers = countOpen
    },
  }
}

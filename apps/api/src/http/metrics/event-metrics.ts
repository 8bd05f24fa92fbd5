import { Counter, Gauge, type Registry } from 'prom-client'

/** The metrics of pushed events. */
export interface EventMetrics {
  /**
   * Counts a request to an event endpoint.
   * @param outcome `delivered` or `failed`.
   */
  pushed(outcome: string): void
}

const outcomes = ['delivered', 'failed']

/** Creates the counter of requests to event endpoints, for a process that pushes events. */
export const createEventMetrics = (registers: Registry[]): EventMetrics => {
  const pushes = new Counter({
    name: 'flowpost_event_pushes_total',
    help: 'Requests from this process to event endpoints, except test requests that an API call started. delivered: the response had a status from 200 to 299; failed: any other result.',
    labelNames: ['outcome'],
    registers,
  })
  // Starts each series at zero, so that `rate()` sees its first increment.
  for (const outcome of outcomes) pushes.inc({ outcome }, 0)
  return { pushed: (outcome) => pushes.inc({ outcome }) }
}

/**
 * Registers the metric for the age of the oldest event that has not been pushed.
 * @param read returns the age in seconds; `undefined` if the database does not respond in time.
 */
export const registerUnpushedEvents = (registers: Registry[], read: () => Promise<number | undefined>): void => {
  new Gauge({
    name: 'flowpost_oldest_unpushed_event_seconds',
    help: 'Age of the oldest event that an event endpoint has not received; 0 if there is none. Disabled endpoints do not count. Every process reports the same number. Absent while the database is unreachable.',
    registers,
    async collect() {
      const seconds = await read()
      if (seconds === undefined) this.remove()
      else this.set(seconds)
    },
  })
}

import type { IncomingMessage } from 'node:http'
import type { Uuid } from './ids.ts'

/** A span's ids, as fields in log lines. */
export interface SpanIds {
  readonly trace_id: string
  readonly span_id: string
}

/** A span in progress. */
export interface TraceSpan {
  readonly ids: SpanIds
  /** The span's W3C trace context: `traceparent`, then a space and `tracestate` if there is one. */
  readonly context: string
}

/** The span of an HTTP request. */
export interface RequestSpan extends TraceSpan {
  /**
   * Ends the span. Call it when the response has ended.
   * @param route the path template of the operation or page; `undefined` if no route matched.
   */
  end(response: { readonly status: number; readonly route: string | undefined; readonly aborted: boolean }): void
}

/** The span for adding a notification's deliveries to the queue. */
export interface SendSpan extends TraceSpan {
  /** Ends the span. If the deliveries were not added, `error` is a short identifier for the reason. */
  end(error?: string): void
}

/** The span of an attempt to send a message. */
export interface AttemptSpan extends TraceSpan {
  /** Ends the span. If the message was not sent, `error` is the failure code. */
  end(result: { readonly outcome: string; readonly error?: string | undefined }): void
}

/** The data of a delivery attempt that is starting. */
export interface TracedAttempt {
  /** The stored trace context; `null` if the request that queued the delivery was not traced. */
  readonly parent: string | null
  readonly notificationId: Uuid
  readonly deliveryId: Uuid
  readonly sourceType: string
  readonly number: number
  /** The later of two times: when the delivery was due, and when its previous attempt ended. */
  readonly waitingSince: Date
  readonly startedAt: Date
}

/** Records traces. Spans contain ids and codes, but no content, targets or secrets. */
export interface Tracing {
  /** Starts the span of a request. The parent is the trace context in the request headers, if any. */
  startRequest(request: IncomingMessage): RequestSpan
  /**
   * Starts the span for adding deliveries to the queue. The span's trace context is stored with the deliveries' jobs.
   */
  startSend(parent: TraceSpan | undefined, send: { readonly notificationId: Uuid; readonly deliveries: number }): SendSpan
  /** Records how long a delivery has waited, and starts the span of an attempt. */
  startAttempt(attempt: TracedAttempt): AttemptSpan
  /** Exports the remaining spans, for at most a second. Never rejects. */
  stop(): Promise<void>
}

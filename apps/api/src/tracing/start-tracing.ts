// The only modules that load OpenTelemetry are in this folder. `app.ts` imports this module dynamically.
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto'
import { BatchSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace'
import type { Logger } from 'pino'
import type { Tracing } from '../shared/tracing.ts'
import { version } from '../version.ts'
import {
  batchLimitsFromEnvironment,
  resourceFromEnvironment,
  samplerFromEnvironment,
  spanLimitsFromEnvironment,
  warnAboutProtocol,
} from './environment.ts'
import { logExportFailures } from './log-export-failures.ts'
import { createSpans } from './spans.ts'

// `shutdown.ts` limits the whole shutdown, and the other steps may take almost all of that time.
const maxFlushMs = 1_000

/**
 * Starts exporting traces via OTLP over HTTP. Spans are exported in batches in the background. If the collector is slow
 * or unreachable, spans are dropped.
 */
export const startTracing = ({ log }: { readonly log: Logger }): Tracing => {
  const warn = (message: string) => log.warn(message)
  warnAboutProtocol(warn)
  const provider = new TracerProvider({
    resource: resourceFromEnvironment(version),
    sampler: samplerFromEnvironment(warn),
    spanLimits: spanLimitsFromEnvironment(),
    spanProcessors: [
      new BatchSpanProcessor({ ...batchLimitsFromEnvironment(), exporter: logExportFailures(new OTLPTraceExporter(), log) }),
    ],
  })
  return {
    ...createSpans(provider.getTracer('flowpost', version)),
    stop: async () => {
      const { promise: timeout, resolve } = Promise.withResolvers<void>()
      const timer = setTimeout(resolve, maxFlushMs)
      await Promise.race([provider.shutdown().catch(() => {}), timeout])
      clearTimeout(timer)
    },
  }
}

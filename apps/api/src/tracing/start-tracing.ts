// Only modules in this folder import OpenTelemetry. `services.ts` imports this module dynamically, so a process that exports no
// traces does not load the OpenTelemetry SDK.
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

// The maximum time to export the remaining spans. It is short, because the other steps of a shutdown may take almost all of the
// time that `shutdown.ts` allows.
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

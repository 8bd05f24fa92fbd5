import { type ExportResult, ExportResultCode } from '@opentelemetry/core'
import type { ReadableSpan, SpanExporter } from '@opentelemetry/sdk-trace'
import type { Logger } from 'pino'

/**
 * Wraps an exporter. Logs once when exports start to fail, and once when they succeed again. Logs only the error's
 * message or name, because its other fields may contain spans.
 */
export const logExportFailures = (exporter: SpanExporter, log: Logger): SpanExporter => {
  let failing = false
  const report = ({ code, error }: ExportResult): void => {
    const failed = code !== ExportResultCode.SUCCESS
    if (failed === failing) return
    failing = failed
    if (failed)
      log.warn({ reason: error?.message || error?.name }, 'Could not export traces; spans are dropped until the collector is reachable.')
    else log.info('The collector receives traces again.')
  }
  return {
    export: (spans: ReadableSpan[], done) =>
      exporter.export(spans, (result) => {
        report(result)
        done(result)
      }),
    forceFlush: async () => exporter.forceFlush?.(),
    shutdown: () => exporter.shutdown(),
  }
}

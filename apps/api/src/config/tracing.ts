import { z } from 'zod'
import { url } from './parsers.ts'

/**
 * The OpenTelemetry variables that decide whether the process records traces. `tracing/` reads the other OpenTelemetry
 * variables.
 */
export const tracingFields = {
  OTEL_EXPORTER_OTLP_ENDPOINT: url(['http:', 'https:']).optional(),
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: url(['http:', 'https:']).optional(),
  OTEL_TRACES_EXPORTER: z.string().optional(),
  OTEL_SDK_DISABLED: z.string().optional(),
}

/** Returns whether the process exports traces to a collector. */
export const exportsTraces = (value: z.output<z.ZodObject<typeof tracingFields>>): boolean =>
  (value.OTEL_EXPORTER_OTLP_ENDPOINT ?? value.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT) !== undefined &&
  value.OTEL_TRACES_EXPORTER !== 'none' &&
  value.OTEL_SDK_DISABLED?.toLowerCase() !== 'true'

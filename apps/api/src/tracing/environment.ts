// Reads OpenTelemetry's standard variables. `@opentelemetry/sdk-node` reads them too, but it also installs gRPC,
// metrics, logs and automatic instrumentation; see docs/decisions/0023-tracing.md. The exporter itself reads the
// variables named OTEL_EXPORTER_OTLP_*.
import { randomUUID } from 'node:crypto'
import { getNumberFromEnv, getStringFromEnv } from '@opentelemetry/core'
import {
  defaultResource,
  detectResources,
  type Resource,
  resourceAttributesEnvDetector,
  resourceFromAttributes,
  serviceNameEnvDetector,
} from '@opentelemetry/resources'
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  ParentBasedSampler,
  type Sampler,
  type SpanLimits,
  TraceIdRatioBasedSampler,
} from '@opentelemetry/sdk-trace'
import { ATTR_SERVICE_INSTANCE_ID, ATTR_SERVICE_NAME, ATTR_SERVICE_VERSION } from '@opentelemetry/semantic-conventions'

type Warn = (message: string) => void

const supportedProtocol = 'http/protobuf'

const ratioOf = (warn: Warn): number => {
  // `getNumberFromEnv` would return `undefined` for text that is not a number, as if the variable were unset. Such text must
  // cause the warning below.
  const text = getStringFromEnv('OTEL_TRACES_SAMPLER_ARG')
  if (text === undefined) return 1
  const ratio = Number(text)
  if (ratio >= 0 && ratio <= 1) return ratio
  warn('OTEL_TRACES_SAMPLER_ARG must be a number between 0 and 1; using 1.')
  return 1
}

const samplers: Readonly<Record<string, (warn: Warn) => Sampler>> = {
  always_on: () => new AlwaysOnSampler(),
  always_off: () => new AlwaysOffSampler(),
  traceidratio: (warn) => new TraceIdRatioBasedSampler(ratioOf(warn)),
  parentbased_always_on: () => new ParentBasedSampler({ root: new AlwaysOnSampler() }),
  parentbased_always_off: () => new ParentBasedSampler({ root: new AlwaysOffSampler() }),
  parentbased_traceidratio: (warn) => new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(ratioOf(warn)) }),
}

/**
 * Returns the sampler that `OTEL_TRACES_SAMPLER` selects. By default, a trace is recorded if the caller records it, or
 * if the request has no trace context.
 */
export const samplerFromEnvironment = (warn: Warn): Sampler => {
  const name = getStringFromEnv('OTEL_TRACES_SAMPLER') ?? 'parentbased_always_on'
  const create = Object.hasOwn(samplers, name) ? samplers[name] : undefined
  if (create) return create(warn)
  warn(`OTEL_TRACES_SAMPLER must be one of ${Object.keys(samplers).join(', ')}; using parentbased_always_on.`)
  return new ParentBasedSampler({ root: new AlwaysOnSampler() })
}

/** Warns if the environment selects a protocol other than the supported one. */
export const warnAboutProtocol = (warn: Warn): void => {
  for (const name of ['TRACES_PROTOCOL', 'PROTOCOL']) {
    const protocol = getStringFromEnv(`OTEL_EXPORTER_OTLP_${name}`)
    if (protocol === undefined) continue
    if (protocol !== supportedProtocol)
      warn(`OTEL_EXPORTER_OTLP_${name}=${protocol} is not supported; traces are sent via ${supportedProtocol}.`)
    return
  }
}

const withoutUndefined = <T extends object>(values: { [K in keyof T]: T[K] | undefined }): T =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as T

/** Returns the limits on span attributes. Span events and links need no limits, because Flowpost never adds them. */
export const spanLimitsFromEnvironment = (): SpanLimits =>
  withoutUndefined<SpanLimits>({
    attributeCountLimit: getNumberFromEnv('OTEL_SPAN_ATTRIBUTE_COUNT_LIMIT') ?? getNumberFromEnv('OTEL_ATTRIBUTE_COUNT_LIMIT'),
    attributeValueLengthLimit:
      getNumberFromEnv('OTEL_SPAN_ATTRIBUTE_VALUE_LENGTH_LIMIT') ?? getNumberFromEnv('OTEL_ATTRIBUTE_VALUE_LENGTH_LIMIT'),
  })

/** The limits on the batches in which spans are exported. Times are in milliseconds. */
interface BatchLimits {
  readonly maxQueueSize?: number
  readonly maxExportBatchSize?: number
  readonly scheduledDelayMillis?: number
  readonly exportTimeoutMillis?: number
}

/** Returns the batch limits that the variables `OTEL_BSP_*` set. */
export const batchLimitsFromEnvironment = (): BatchLimits =>
  withoutUndefined<BatchLimits>({
    maxQueueSize: getNumberFromEnv('OTEL_BSP_MAX_QUEUE_SIZE'),
    maxExportBatchSize: getNumberFromEnv('OTEL_BSP_MAX_EXPORT_BATCH_SIZE'),
    scheduledDelayMillis: getNumberFromEnv('OTEL_BSP_SCHEDULE_DELAY'),
    exportTimeoutMillis: getNumberFromEnv('OTEL_BSP_EXPORT_TIMEOUT'),
  })

/** Returns the OpenTelemetry resource for this process. `OTEL_SERVICE_NAME` and `OTEL_RESOURCE_ATTRIBUTES` override its defaults. */
export const resourceFromEnvironment = (version: string): Resource =>
  defaultResource()
    .merge(
      resourceFromAttributes({
        [ATTR_SERVICE_NAME]: 'flowpost',
        [ATTR_SERVICE_VERSION]: version,
        [ATTR_SERVICE_INSTANCE_ID]: randomUUID(),
      }),
    )
    .merge(detectResources({ detectors: [resourceAttributesEnvDetector, serviceNameEnvDetector] }))

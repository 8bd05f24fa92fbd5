import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { batchLimitsFromEnvironment, resourceFromEnvironment, samplerFromEnvironment, warnAboutProtocol } from './environment.ts'

const warn = vi.fn()
beforeEach(() => void warn.mockReset())
afterEach(() => void vi.unstubAllEnvs())

it.each([
  [undefined, undefined, 'ParentBased{root=AlwaysOnSampler'],
  ['always_on', undefined, 'AlwaysOnSampler'],
  ['always_off', undefined, 'AlwaysOffSampler'],
  ['traceidratio', '0.25', 'TraceIdRatioBased{0.25}'],
  ['parentbased_always_on', undefined, 'ParentBased{root=AlwaysOnSampler'],
  ['parentbased_always_off', undefined, 'ParentBased{root=AlwaysOffSampler'],
  ['parentbased_traceidratio', '0.05', 'ParentBased{root=TraceIdRatioBased{0.05}'],
])('OTEL_TRACES_SAMPLER=%s with the argument %s is %s', (name, argument, expected) => {
  vi.stubEnv('OTEL_TRACES_SAMPLER', name)
  vi.stubEnv('OTEL_TRACES_SAMPLER_ARG', argument)
  expect(samplerFromEnvironment(warn).toString()).toContain(expected)
  expect(warn).not.toHaveBeenCalled()
})

it.each([
  ['toString', '1', 'OTEL_TRACES_SAMPLER must be one of'],
  ['traceidratio', '1.5', 'OTEL_TRACES_SAMPLER_ARG must be'],
  ['traceidratio', '5%', 'OTEL_TRACES_SAMPLER_ARG must be'],
  ['parentbased_traceidratio', '0,05', 'OTEL_TRACES_SAMPLER_ARG must be'],
  ['parentbased_traceidratio', 'abc', 'OTEL_TRACES_SAMPLER_ARG must be'],
])('warns about the sampler %s with the argument %s and records traces', (name, argument, message) => {
  vi.stubEnv('OTEL_TRACES_SAMPLER', name)
  vi.stubEnv('OTEL_TRACES_SAMPLER_ARG', argument)
  expect(samplerFromEnvironment(warn).toString()).not.toContain('AlwaysOff{')
  expect(warn).toHaveBeenCalledExactlyOnceWith(expect.stringContaining(message))
})

it('warns about a protocol other than http/protobuf', () => {
  vi.stubEnv('OTEL_EXPORTER_OTLP_PROTOCOL', 'http/protobuf')
  warnAboutProtocol(warn)
  expect(warn).not.toHaveBeenCalled()
  vi.stubEnv('OTEL_EXPORTER_OTLP_TRACES_PROTOCOL', 'grpc')
  warnAboutProtocol(warn)
  expect(warn).toHaveBeenCalledExactlyOnceWith(expect.stringContaining('OTEL_EXPORTER_OTLP_TRACES_PROTOCOL=grpc'))
})

it('reads the process attributes and the batch limits', () => {
  vi.stubEnv('OTEL_RESOURCE_ATTRIBUTES', 'deployment.environment.name=test')
  expect(resourceFromEnvironment('1.2.3').attributes).toMatchObject({
    'service.name': 'flowpost',
    'service.version': '1.2.3',
    'deployment.environment.name': 'test',
  })
  vi.stubEnv('OTEL_SERVICE_NAME', 'mail')
  expect(resourceFromEnvironment('1.2.3').attributes).toMatchObject({ 'service.name': 'mail' })
  vi.stubEnv('OTEL_BSP_SCHEDULE_DELAY', '250')
  expect(batchLimitsFromEnvironment()).toEqual({ scheduledDelayMillis: 250 })
})

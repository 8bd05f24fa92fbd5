import type { Operation } from '../../public-types.ts'
import { assert, assertEqual } from '../assertions.ts'
import type { ScenarioContext } from '../context.ts'
import { samples } from '../samples.ts'
import { type Scenario, scenario } from '../scenario.ts'

const reads: readonly Operation[] = ['projects.get', 'flows.get', 'integrations.get', 'eventEndpoints.get', 'settings.export']
const writes: readonly Operation[] = [
  'projects.update',
  'projects.delete',
  'projects.deleteByQuery',
  'flows.update',
  'flows.patch',
  'flows.delete',
  'integrations.put',
  'integrations.delete',
  'eventEndpoints.update',
  'eventEndpoints.delete',
]

/** Creates a resource. Returns a valid request that writes to it, plus `resource`: the path parameters that identify it. */
const createStoredSample = async (context: ScenarioContext, operation: Operation) => {
  const sample = await samples[operation](context)
  const resource = sample.params ?? sample.query ?? {}
  // The sample creates only a project, so this PUT creates the integration.
  if (operation === 'integrations.put') await context.http.expect(operation, 200, sample)
  return { ...sample, resource }
}

const notModified = (operation: Operation): Scenario =>
  scenario(operation, 304, 'returns no body while the resource has not changed', async (context) => {
    const sample = await samples[operation](context)
    const first = await context.http.expect(operation, 200, sample)
    const etag = first.headers.get('etag') ?? ''
    assert(/^"[^"]+"$/.test(etag), 'the ETag must be strong', etag)
    for (const tags of [etag, `W/${etag}`, `"with,comma", ${etag}`, '*']) {
      const again = await context.http.expect(operation, 304, { ...sample, headers: { 'if-none-match': tags } })
      assertEqual({ etag: again.headers.get('etag'), text: again.text }, { etag, text: '' }, `the ETag and body for If-None-Match: ${tags}`)
    }
    for (const tags of ['"other"', '"a,*,b"']) await context.http.expect(operation, 200, { ...sample, headers: { 'if-none-match': tags } })
  })

/** Returns the operation that reads the resource written by `operation`. */
const readOf = (operation: Operation): Operation => reads.find((read) => read.split('.')[0] === operation.split('.')[0]) ?? 'projects.get'

const mismatch = (operation: Operation): Scenario =>
  scenario(operation, 412, 'does not write if the entity tag is weak or does not match', async (context) => {
    const sample = await createStoredSample(context, operation)
    const before = await context.http.expect(readOf(operation), 200, { params: sample.resource })
    const weak = `W/${before.headers.get('etag')}`
    for (const tags of ['"other"', weak, '"a", "b"', '"a,*,b"'])
      await context.http.expect(operation, 412, { ...sample, headers: { 'if-match': tags } }, 'etag_mismatch')
    const after = await context.http.expect(readOf(operation), 200, { params: sample.resource })
    assertEqual(after.json, before.json, 'the resource after the rejected writes')
  })

const matches = (operation: Operation): Scenario =>
  scenario(operation, operation.includes('delete') ? 204 : 200, 'writes when the entity tag is current', async (context) => {
    for (const toTags of [(etag: string) => etag, (etag: string) => `"other", ${etag}`, () => '*']) {
      const sample = await createStoredSample(context, operation)
      const before = await context.http.expect(readOf(operation), 200, { params: sample.resource })
      const headers = { 'if-match': toTags(before.headers.get('etag') ?? '') }
      await context.http.expect(operation, operation.includes('delete') ? 204 : 200, { ...sample, headers })
    }
  })

/** Scenarios about conditional requests. */
export const conditionalScenarios: readonly Scenario[] = [...reads.map(notModified), ...writes.map(mismatch), ...writes.map(matches)]

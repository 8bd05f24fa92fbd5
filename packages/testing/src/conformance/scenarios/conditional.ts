import type { Operation } from '../../public-types.ts'
import { assert, assertEqual } from '../assertions.ts'
import { samples } from '../samples.ts'
import { type Scenario, scenario } from '../scenario.ts'

const reads: readonly Operation[] = ['projects.get', 'flows.get', 'integrations.get']
const writes: readonly Operation[] = [
  'projects.update',
  'projects.delete',
  'projects.deleteByQuery',
  'flows.update',
  'flows.patch',
  'flows.delete',
  'integrations.put',
  'integrations.delete',
]

const notModified = (operation: Operation): Scenario =>
  scenario(operation, 304, 'returns no body while the resource has not changed', async (context) => {
    const sample = await samples[operation](context)
    const first = await context.http.expect(operation, 200, sample)
    const etag = first.headers.get('etag') ?? ''
    assert(/^"[^"]+"$/.test(etag), 'the ETag must be strong', etag)
    for (const tags of [etag, `W/${etag}`, `"with,comma", ${etag}`, '*']) {
      const again = await context.http.expect(operation, 304, { ...sample, headers: { 'if-none-match': tags } })
      assertEqual({ etag: again.headers.get('etag'), text: again.text }, { etag, text: '' }, `If-None-Match: ${tags}`)
    }
    for (const tags of ['"other"', '"a,*,b"']) await context.http.expect(operation, 200, { ...sample, headers: { 'if-none-match': tags } })
  })

const mismatch = (operation: Operation): Scenario =>
  scenario(operation, 412, 'writes nothing for a stale, weak or different entity tag', async (context) => {
    const sample = await samples[operation](context)
    for (const tags of ['"other"', 'W/"other"', '"a", "b"', '"a,*,b"'])
      await context.http.expect(operation, 412, { ...sample, headers: { 'if-match': tags } }, 'etag_mismatch')
  })

/** Scenarios about conditional requests. */
export const conditionalScenarios: readonly Scenario[] = [...reads.map(notModified), ...writes.map(mismatch)]

// Serves two mocks on free ports: one for the conformance suite, and one for the comparison with the server.

import { startMockServer } from '../../../packages/testing/src/server.ts'
import { createConformingMock, mockTarget } from '../../../packages/testing/test/conformance/mock-target.ts'
import { createModelMock, modelTarget } from '../../../packages/testing/test/conformance/model-target.ts'

const conforming = createConformingMock()
const model = createModelMock(1)
const { fetch: _, ...conformance } = mockTarget(conforming)
const { fetch: __, tick: ___, ...compared } = modelTarget('mock', model)
const [conformingServer, modelServer] = await Promise.all([startMockServer(conforming), startMockServer(model)])

process.on('message', () => {
  void model.clock.advance(1).then(() => process.send?.({ advanced: true }))
})
process.send?.({
  conformance: { ...conformance, baseUrl: conformingServer.url },
  model: { ...compared, baseUrl: modelServer.url },
})

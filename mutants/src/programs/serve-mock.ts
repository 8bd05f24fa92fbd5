// Serves mocks on free ports: one for each deployment of the conformance suite, and one for the comparison with the server.
import { type MockServer, startMockServer } from '../../../packages/testing/src/server.ts'
import {
  capturingMockTarget,
  createConformingMock,
  mockTarget,
  smallQueueLimit,
  smallQueueTarget,
} from '../../../packages/testing/test/conformance/mock-target.ts'
import { createModelMock, modelTarget } from '../../../packages/testing/test/conformance/model-target.ts'

/**
 * Returns a copy of a target that sends its requests over HTTP to the mock's server, instead of calling the mock's
 * `fetch`.
 */
const withUrl = <T extends { readonly fetch?: unknown }>({ fetch: _, ...target }: T, { url }: MockServer) => ({ ...target, baseUrl: url })

const conforming = createConformingMock()
const capturing = createConformingMock({ capture: 'missing', credentials: [] })
const limited = createConformingMock({ queueLimit: smallQueueLimit })
const model = createModelMock(1)
// Leaves out the functions of the target, because a message to another process cannot contain functions.
const { tick: _, clock: __, ...compared } = modelTarget('mock', model)

process.on('message', () => {
  void model.clock.advance(1).then(() => process.send?.({ advanced: true }))
})
process.send?.({
  conformance: [
    withUrl(mockTarget(conforming), await startMockServer(conforming)),
    withUrl(capturingMockTarget(capturing), await startMockServer(capturing)),
    withUrl(smallQueueTarget(limited), await startMockServer(limited)),
  ],
  model: withUrl(compared, await startMockServer(model)),
})

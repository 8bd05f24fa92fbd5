import { setupServer } from 'msw/node'
import { describeTransport } from './describe-conformance.ts'
import { describeMsw3 } from './msw-transport.ts'

describeMsw3(setupServer, describeTransport)

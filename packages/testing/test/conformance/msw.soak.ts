import { setupServer } from 'msw/node'
import { describeConformance } from './describe-conformance.ts'
import { describeMsw3 } from './msw-transport.ts'

describeMsw3(setupServer, describeConformance)

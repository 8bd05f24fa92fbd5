import { describeTransport } from './describe-conformance.ts'
import { describeMockServer } from './mock-server-transport.ts'

describeMockServer(describeTransport)

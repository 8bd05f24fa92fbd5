import { describeConformance } from './describe-conformance.ts'
import { describeMockServer } from './mock-server-transport.ts'

describeMockServer(describeConformance)

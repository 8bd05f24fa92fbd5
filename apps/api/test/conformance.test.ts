import { describeConformance } from './support/describe-conformance.ts'

describeConformance('first')

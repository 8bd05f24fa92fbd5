import { type Operation, parseSdkExamples } from '@flowpost/contract/reference'
import { readRepositoryFile } from '../repository.ts'

const sdkExamples = parseSdkExamples(readRepositoryFile('packages/client/docs/reference.md'))

/** Returns the example of the SDK method of an operation, from the method reference that the tests compile and run. */
export const typeScriptSample = ({ operationId }: Operation): string | undefined => sdkExamples.get(operationId)

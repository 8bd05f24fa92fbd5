import { type Operation, parseSdkExamples } from '@flowpost/contract/reference'
import { readRepositoryFile } from '../repository.ts'

const sdkExamples = parseSdkExamples(readRepositoryFile('packages/client/docs/reference.md'))

/**
 * Returns the example for an operation's SDK method, from the method reference. Tests compile and run these examples.
 */
export const typeScriptSample = ({ operationId }: Operation): string | undefined => sdkExamples.get(operationId)

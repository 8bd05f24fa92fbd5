import { type Operation, parseSdkExamples } from '@flowpost/contract/reference'
import { readRepositoryFile } from '../repository.ts'

const sdkExamples = parseSdkExamples(readRepositoryFile('packages/client/docs/reference.md'))

/** Returns the SDK example for an operation. The examples come from the SDK's docs. Tests compile and run them. */
export const typeScriptSample = ({ operationId }: Operation): string | undefined => sdkExamples.get(operationId)

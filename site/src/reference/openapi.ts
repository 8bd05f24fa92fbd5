import { createOpenApiDocument } from '@flowpost/contract'
import { anchorOf, describeApi, type Operation, tagSlug } from '@flowpost/contract/reference'
import { readRepositoryFile } from '../repository.ts'

const { version } = JSON.parse(readRepositoryFile('apps/api/package.json')) as { version: string }

/** The API of a server with the built-in providers. */
export const api = describeApi(createOpenApiDocument({ version }))

/** Returns the address of the page for a tag's operations. */
export const tagUrl = (tag: string): string => `/reference/api/${tagSlug(tag)}`

/** Returns the address of an operation. */
export const operationUrl = (operation: Operation): string => `${tagUrl(operation.tags[0] ?? '')}#${anchorOf(operation)}`

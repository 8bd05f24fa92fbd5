import type { Model } from './model.ts'
import { pascalCase } from './names.ts'

/** Generates type tests that compare each generated type with the type inferred from the contract. */
export const emitTypeTests = ({ methods, types }: Model): string => {
  const names = types.all().map(({ name }) => name)
  const lines = methods.flatMap(({ operation, types: used, value, isPage }) => {
    const route = `Api${operation.keys.map((key) => `['${key}']`).join('')}`
    const test = operation.keys.map(pascalCase).join('')
    const equal = (part: string, written: string, inferred: string) => `export type ${test}${part} = Expect<Equal<${written}, ${inferred}>>`
    const responses = operation.responses.flatMap(({ status, schema }) => (schema ? [`z.output<${route}['responses'][${status}]>`] : []))
    const written = isPage ? `PageBody<${used.item}>` : value
    return [
      ...(used.body ? [equal('Body', used.body, `z.input<${route}['body']>`)] : []),
      ...(used.query ? [equal('Query', used.query, `z.input<${route}['query']>`)] : []),
      ...(responses.length > 0 ? [equal('Answer', `Expand<${written}>`, `Opened<${responses.join(' | ')}>`)] : []),
      equal('Problems', `OperationProblems['${operation.name}']`, `${route}['metadata']['problems'][number]`),
    ]
  })
  const body = lines.join('\n')
  const used = names.filter((name) => new RegExp(`\\b${name}\\b`).test(body)).sort()
  return `import type { api } from '@flowpost/contract'
import type { z } from 'zod'
import type { OperationProblems } from '../../src/generated/operations.ts'
import type { ${used.join(', ')} } from '../../src/generated/types.ts'
import type { PageBody } from '../../src/results.ts'
import type { Equal, Expand, Expect, Opened } from '../type-equality.ts'

type Api = typeof api

${body}`
}

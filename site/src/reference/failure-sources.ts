import { globSync } from 'node:fs'
import ts from 'typescript'
import { readRepositoryFile, repositoryRoot } from '../repository.ts'

const patterns = ['packages/delivery/src/**/*.ts', 'packages/domain/src/delivery/failure.ts', 'apps/api/src/features/delivery/**/*.ts']

/**
 * The names of tables that map a provider's result to a failure, and where each table has its codes: in its keys, or in
 * the first element of each value.
 */
const tables: Readonly<Record<string, 'keys' | 'values'>> = { kindByCode: 'keys', connectionFailures: 'values' }

const literalOf = (object: ts.ObjectLiteralExpression, name: string): string | undefined => {
  const property = object.properties.find((candidate) => candidate.name?.getText() === name)
  return property && ts.isPropertyAssignment(property) && ts.isStringLiteralLike(property.initializer)
    ? property.initializer.text
    : undefined
}

const codesOfTable = (object: ts.ObjectLiteralExpression, source: 'keys' | 'values'): string[] =>
  object.properties.flatMap((property) => {
    if (!ts.isPropertyAssignment(property)) return []
    if (source === 'keys') return ts.isStringLiteralLike(property.name) ? [property.name.text] : []
    const [first] = ts.isArrayLiteralExpression(property.initializer) ? property.initializer.elements : []
    return first && ts.isStringLiteralLike(first) ? [first.text] : []
  })

/** Returns the failure codes that a declaration or an expression contains. */
const codesOf = (node: ts.Node): string[] => {
  if (ts.isObjectLiteralExpression(node)) {
    const isFailure = node.properties.some((property) => property.name?.getText() === 'kind')
    const code = isFailure ? literalOf(node, 'code') : undefined
    return code === undefined ? [] : [code]
  }
  if (!ts.isVariableDeclaration(node) || node.initializer === undefined) return []
  const table = tables[node.name.getText()]
  if (table !== undefined && ts.isObjectLiteralExpression(node.initializer)) return codesOfTable(node.initializer, table)
  // The codes of Microsoft Teams are the alternatives of a regular expression.
  if (node.name.getText() === 'invalidWorkflowCodes')
    return [...node.initializer.getText().matchAll(/(?<=[:|])[A-Za-z]+(?=[|)])/g)].map(([code]) => code)
  return []
}

/** Returns the failure codes in the source code of the providers and the worker, keyed by file. */
export const readFailureCodes = (): ReadonlyMap<string, readonly string[]> =>
  new Map(
    globSync(patterns, { cwd: repositoryRoot })
      .filter((file) => !file.endsWith('.test.ts') && !file.includes('/conformance'))
      .map((file): [string, string[]] => {
        const codes = new Set<string>()
        const visit = (node: ts.Node): void => {
          for (const code of codesOf(node)) codes.add(code)
          ts.forEachChild(node, visit)
        }
        visit(ts.createSourceFile(file, readRepositoryFile(file), ts.ScriptTarget.Latest, true))
        return [file.replaceAll('\\', '/'), [...codes]]
      })
      .filter(([, codes]) => codes.length > 0),
  )

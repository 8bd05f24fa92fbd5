import { globSync } from 'node:fs'
import ts from 'typescript'
import { readRepositoryFile, repositoryRoot } from '../repository.ts'

// Excludes `reports`, whose codes are those of receipts, and `features/events`, whose failures are those of event endpoints.
const patterns = [
  'packages/delivery/src/{*,!(reports)/**/*}.ts',
  'packages/domain/src/delivery/failure.ts',
  'apps/api/src/features/!(events)/**/*.ts',
]

/** A failure that the source code can report. */
export interface SourceFailure {
  readonly code: string
  /** The failure kinds that the source code assigns to the failure code. Empty if they cannot be determined. */
  readonly kinds: readonly string[]
  /** Whether the failure is retried. Absent if the kind alone decides. */
  readonly retryable?: boolean
}

/**
 * The tables in the source code that map a provider's result to a failure, keyed by variable name. The failure codes are
 * the table's keys (`keys`), or the first element of each of its values (`values`).
 */
const tables: Readonly<Record<string, 'keys' | 'values'>> = { kindByCode: 'keys', connectionFailures: 'values' }

/** Returns the strings that an expression can evaluate to. Ignores strings that are computed. */
const stringsIn = (node: ts.Node | undefined): string[] => {
  if (node === undefined) return []
  if (ts.isStringLiteralLike(node)) return [node.text]
  if (ts.isConditionalExpression(node)) return [...stringsIn(node.whenTrue), ...stringsIn(node.whenFalse)]
  if (ts.isParenthesizedExpression(node) || ts.isAsExpression(node)) return stringsIn(node.expression)
  const isFallback = ts.isBinaryExpression(node) && ['??', '||'].includes(node.operatorToken.getText())
  return isFallback ? [...stringsIn(node.left), ...stringsIn(node.right)] : []
}

const toFailures = (codes: readonly string[]): SourceFailure[] => codes.map((code) => ({ code, kinds: [] }))

const failuresOfTable = (object: ts.ObjectLiteralExpression, source: 'keys' | 'values'): SourceFailure[] =>
  object.properties.flatMap((property) => {
    if (!ts.isPropertyAssignment(property)) return []
    if (source === 'keys')
      return ts.isStringLiteralLike(property.name) ? [{ code: property.name.text, kinds: stringsIn(property.initializer) }] : []
    const [first] = ts.isArrayLiteralExpression(property.initializer) ? property.initializer.elements : []
    return toFailures(stringsIn(first))
  })

const failuresOfObject = (object: ts.ObjectLiteralExpression): SourceFailure[] => {
  const initializerOf = (name: string): ts.Node | undefined => {
    const property = object.properties.find((candidate) => candidate.name?.getText() === name)
    return property && ts.isPropertyAssignment(property) ? property.initializer : property
  }
  const kind = initializerOf('kind')
  if (kind === undefined) return []
  const retryable = initializerOf('retryable')?.getText()
  const isStated = retryable === 'true' || retryable === 'false'
  return stringsIn(initializerOf('code')).map((code) => ({
    code,
    kinds: stringsIn(kind),
    ...(isStated ? { retryable: retryable === 'true' } : {}),
  }))
}

const failuresOfVariable = ({ name, initializer }: ts.VariableDeclaration): SourceFailure[] => {
  const table = tables[name.getText()]
  if (table !== undefined && initializer && ts.isObjectLiteralExpression(initializer)) return failuresOfTable(initializer, table)
  // This regular expression lists the codes of Microsoft Teams as its alternatives.
  if (name.getText() === 'invalidWorkflowCodes')
    return toFailures([...(initializer?.getText() ?? '').matchAll(/(?<=[:|])[A-Za-z]+(?=[|)])/g)].map(([code]) => code))
  return name.getText() === 'code' ? toFailures(stringsIn(initializer)) : []
}

/** Returns the failures that an object literal, a variable declaration or a `return` statement defines. */
const failuresOf = (node: ts.Node): SourceFailure[] => {
  if (ts.isObjectLiteralExpression(node)) return failuresOfObject(node)
  if (ts.isVariableDeclaration(node)) return failuresOfVariable(node)
  if (!ts.isReturnStatement(node)) return []
  // A returned string is a failure code only if the name of the function ends with `Code`, as in `redactCode`.
  const parent = ts.findAncestor(node, ts.isFunctionLike)
  return parent?.name?.getText().endsWith('Code') ? toFailures(stringsIn(node.expression)) : []
}

/** Returns the failures that the source code of the providers and the server can report, keyed by file. */
export const readFailures = (): ReadonlyMap<string, readonly SourceFailure[]> =>
  new Map(
    globSync(patterns, { cwd: repositoryRoot })
      .filter((file) => !file.endsWith('.test.ts') && !file.includes('/conformance'))
      .map((file): [string, SourceFailure[]] => {
        const failures: SourceFailure[] = []
        const visit = (node: ts.Node): void => {
          failures.push(...failuresOf(node))
          ts.forEachChild(node, visit)
        }
        visit(ts.createSourceFile(file, readRepositoryFile(file), ts.ScriptTarget.Latest, true))
        return [file.replaceAll('\\', '/'), failures]
      })
      .filter(([, failures]) => failures.length > 0),
  )

import { globSync } from 'node:fs'
import ts from 'typescript'
import { readRepositoryFile, repositoryRoot } from '../repository.ts'

/** A statement in the server's source code that writes a log line. */
export interface LogCall {
  readonly file: string
  readonly level: string
  /** The message, with `…` for parts that vary. `undefined` if the whole message varies. */
  readonly message: string | undefined
  /** The source code of the first argument: the fields of the log line, or the message if the line has no fields. */
  readonly fields: string
  /** Whether the statement itself sets the field `help`. */
  readonly hasHelp: boolean
}

const levels = new Set(['info', 'warn', 'error', 'fatal'])

/** Returns the text of a string literal, a template, or a concatenation of them. */
const textOf = (node: ts.Expression | undefined): string | undefined => {
  if (node === undefined) return undefined
  if (ts.isStringLiteralLike(node)) return node.text
  if (ts.isTemplateExpression(node)) return node.head.text + node.templateSpans.map(({ literal }) => `…${literal.text}`).join('')
  if (ts.isBinaryExpression(node)) return `${textOf(node.left) ?? '…'}${textOf(node.right) ?? '…'}`
  return undefined
}

/**
 * Returns the level at which a call logs; `undefined` if the call does not log, or only below `info`. A conditional level such as
 * `log[condition ? 'debug' : 'warn']` counts as `warn`.
 */
const levelOf = ({ expression }: ts.CallExpression): string | undefined => {
  if (ts.isIdentifier(expression)) return expression.text === 'warn' ? 'warn' : undefined
  const isLog = (node: ts.Expression) => /(?:^|\.)log$/.test(node.getText())
  if (ts.isPropertyAccessExpression(expression) && isLog(expression.expression))
    return levels.has(expression.name.text) ? expression.name.text : undefined
  if (ts.isElementAccessExpression(expression) && isLog(expression.expression))
    return [...levels].find((level) => level !== 'info' && expression.argumentExpression.getText().includes(`'${level}'`))
  return undefined
}

/** Returns every statement in the server's source code that logs at `info` or above. */
export const readLogCalls = (): LogCall[] =>
  globSync('apps/api/src/**/*.ts', { cwd: repositoryRoot })
    .filter((file) => !file.endsWith('.test.ts'))
    .flatMap((file) => {
      const calls: LogCall[] = []
      const visit = (node: ts.Node): void => {
        const level = ts.isCallExpression(node) ? levelOf(node) : undefined
        if (ts.isCallExpression(node) && level !== undefined)
          calls.push({
            file: file.replaceAll('\\', '/'),
            level,
            message: textOf(node.arguments.at(-1)),
            fields: node.arguments[0]?.getText() ?? '',
            hasHelp: /[{ ]help:/.test(node.arguments[0]?.getText() ?? ''),
          })
        ts.forEachChild(node, visit)
      }
      visit(ts.createSourceFile(file, readRepositoryFile(file), ts.ScriptTarget.Latest, true))
      return calls
    })

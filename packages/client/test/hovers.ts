import { join } from 'node:path'
import ts from 'typescript'

/** What an editor shows over a method. */
export interface Hover {
  /** Such as `flows.list`. */
  readonly operation: string
  /** The line of code. */
  readonly signature: string
  /** The names of the parameters in it. */
  readonly parameters: readonly string[]
  readonly documentation: string
  readonly tags: readonly { readonly name: string; readonly text: string }[]
}

const optionsOf = (project: string): ts.CompilerOptions => ({
  module: ts.ModuleKind.NodeNext,
  target: ts.ScriptTarget.ES2022,
  strict: true,
  types: [],
  configFilePath: join(project, 'tsconfig.json'),
})

const service = (project: string, file: string, source: string): ts.LanguageService =>
  ts.createLanguageService({
    getCompilationSettings: () => optionsOf(project),
    getScriptFileNames: () => [file],
    getScriptVersion: () => '1',
    getScriptSnapshot: (name) => {
      const text = name === file ? source : ts.sys.readFile(name)
      return text === undefined ? undefined : ts.ScriptSnapshot.fromString(text)
    },
    getCurrentDirectory: () => project,
    getDefaultLibFileName: (options) => ts.getDefaultLibFilePath(options),
    fileExists: (name) => name === file || ts.sys.fileExists(name),
    readFile: (name) => (name === file ? source : ts.sys.readFile(name)),
    directoryExists: ts.sys.directoryExists,
    getDirectories: ts.sys.getDirectories,
  })

/** Asks the language service, as an editor does, about operations of the client that a project has installed. */
export const hoversOf = (project: string, operations: readonly string[]): Hover[] => {
  const file = join(project, 'hover.ts')
  const head = "import { createFlowpost } from '@flowpost/client'\nconst flowpost = createFlowpost()\n"
  const source = head + operations.map((operation) => `flowpost.${operation}\n`).join('')
  const editor = service(project, file, source)
  return operations.map((operation) => {
    const info = editor.getQuickInfoAtPosition(file, source.indexOf(`flowpost.${operation}\n`) + `flowpost.${operation}`.length - 1)
    const parts = info?.displayParts ?? []
    return {
      operation,
      signature: ts.displayPartsToString(parts),
      parameters: parts.filter(({ kind }) => kind === 'parameterName').map(({ text }) => text),
      documentation: ts.displayPartsToString(info?.documentation),
      tags: (info?.tags ?? []).map(({ name, text }) => ({ name, text: ts.displayPartsToString(text) })),
    }
  })
}

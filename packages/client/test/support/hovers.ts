import { join } from 'node:path'
import ts from 'typescript'

/** The tooltip that an editor shows for a method. */
export interface Hover {
  /** The name of the operation, such as `flows.list`. */
  readonly operation: string
  /** The signature on one line. */
  readonly signature: string
  /** The parameter names in the signature. */
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

const createLanguageService = (project: string, file: string, source: string): ts.LanguageService =>
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

/**
 * Returns the tooltips that an editor shows for operations of the client. `project` is a folder with the client
 * installed, and `declarations` is the source of a `flowpost.d.ts`.
 */
export const hoversOf = (project: string, operations: readonly string[], declarations = ''): Hover[] => {
  const file = join(project, 'hover.ts')
  const header = "import { createFlowpost } from '@flowpost/client'\nconst flowpost = createFlowpost()\n"
  const source = header + operations.map((operation) => `flowpost.${operation}\n`).join('') + declarations
  const editor = createLanguageService(project, file, source)
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

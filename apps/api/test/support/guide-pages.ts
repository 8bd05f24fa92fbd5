import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'

/** The root folder of the repository. */
export const repositoryFolder = resolve(import.meta.dirname, '../../../..')

/** Returns the text of a file in the repository. */
export const readFromRepository = (path: string): string => readFileSync(join(repositoryFolder, path), 'utf8')

/** Whether curl, which the commands in the guides use, is installed. */
export const hasCurl = await promisify(execFile)('curl', ['--version']).then(
  () => true,
  () => false,
)

/** A code block in a guide. Blocks without a language install packages or start servers. */
export interface GuideBlock {
  readonly language: string
  readonly code: string
}

/** Returns the text of a guide. */
export const readGuide = (guide: string): string => readFromRepository(`docs/guides/${guide}.md`)

/** Returns the code blocks of a page in order, including those in lists. */
export const blocksIn = (page: string): GuideBlock[] =>
  [...page.matchAll(/^( *)```(\w*)\n([\s\S]*?)^\1```$/gm)].map(([, indent = '', language = '', code = '']) => ({
    language,
    code: code.replaceAll(new RegExp(`^${indent}`, 'gm'), ''),
  }))

/** Returns a guide's code blocks in order. */
export const blocksOf = (guide: string): GuideBlock[] => blocksIn(readGuide(guide))

/** Returns the code of a guide's blocks in one language, in order. */
export const codeBlocksOf = (guide: string, wanted: string): string[] =>
  blocksOf(guide).flatMap(({ language, code }) => (language === wanted ? [code] : []))

/** Returns the variables that a block sets before its command, such as `FLOWPOST_CAPTURE=on npx pnpm start`. */
export const variablesOf = ({ code }: GuideBlock): Record<string, string> => {
  const [, variables = ''] = /^((?:[A-Z_]+=\S+ )*)npx pnpm start\b/.exec(code) ?? []
  return Object.fromEntries([...variables.matchAll(/([A-Z_]+)=(\S+)/g)].map(([, name = '', value = '']) => [name, value]))
}

/** Returns the programs that a guide tells its reader to save, keyed by file name. */
export const programsOf = (guide: string): ReadonlyMap<string, string> =>
  new Map(
    [...readGuide(guide).matchAll(/^Save this as `([^`]+)`:\n\n```\w+\n([\s\S]*?)^```$/gm)].map(([, name = '', code = '']) => [name, code]),
  )

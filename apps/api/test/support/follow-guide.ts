import { execFile, spawn } from 'node:child_process'
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { onTestFinished } from 'vitest'
import { childEnvironment } from './child-environment.ts'
import type { TestServer } from './test-server.ts'

const root = fileURLToPath(new URL('../../../../', import.meta.url))

/** Whether the commands of a guide can run on this machine. */
export const hasCurl = await promisify(execFile)('curl', ['--version']).then(
  () => true,
  () => false,
)

/** Reads a file of the repository. */
export const readRepositoryFile = (path: string): Promise<string> => readFile(join(root, path), 'utf8')

/** Returns the code blocks of a page in a language, in order. Blocks without a language install packages or start servers. */
export const codeBlocksOf = (page: string, language: string): string[] =>
  [...page.matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\`$`, 'gm'))].map(([, code = '']) => code)

/** Returns the programs that a page tells its reader to save, by file name. */
const programsOf = (page: string): ReadonlyMap<string, string> =>
  new Map([...page.matchAll(/^Save this as `([^`]+)`:\n\n```\w+\n([\s\S]*?)^```$/gm)].map(([, name = '', code = '']) => [name, code]))

/** Creates a folder in which the SDK is installed, with the programs of a page. The folder is removed after the test. */
const createGuideFolder = async (page: string): Promise<string> => {
  const folder = await mkdtemp(join(tmpdir(), 'flowpost-guide-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  await mkdir(join(folder, 'node_modules/@flowpost'), { recursive: true })
  await symlink(join(root, 'packages/client'), join(folder, 'node_modules/@flowpost/client'))
  for (const [name, code] of programsOf(page)) await writeFile(join(folder, name), code)
  return folder
}

/** The options of {@link followGuide}. */
export interface FollowOptions {
  readonly env?: Readonly<Record<string, string>>
  /** Texts in the commands that differ on each machine, such as a port, and what replaces them. */
  readonly replace?: readonly (readonly [text: string, replacement: string])[]
  /**
   * Runs after each block with the number of the block, starting with 1, and all lines so far. A test does here what the guide does
   * outside the terminal.
   */
  readonly afterBlock?: (number: number, lines: readonly string[], folder: string) => Promise<void> | void
}

const endOfBlock = '-- end of block --'

/**
 * Runs the commands of a guide in the shell of "Get started", one block after the other, and returns the lines that they print.
 * A command that fails ends the shell.
 * @throws Error when a command fails.
 */
export const followGuide = async (server: TestServer, path: string, options: FollowOptions = {}): Promise<string[]> => {
  const page = await readRepositoryFile(path)
  const [definition = ''] = /^flowpost\(\) \{[\s\S]*?^\}$/m.exec(await readRepositoryFile('docs/get-started.md')) ?? []
  const folder = await createGuideFolder(page)
  const shell = spawn('sh', ['-eu'], {
    cwd: folder,
    env: {
      ...childEnvironment,
      PATH: `${dirname(process.execPath)}:${childEnvironment['PATH']}`,
      FLOWPOST_BASE_URL: server.url,
      FLOWPOST_API_KEY: server.keys.alice,
      ...options.env,
    },
  })
  onTestFinished(() => void shell.kill())
  let output = ''
  let errors = ''
  let onChange = () => {}
  shell.stdout.on('data', (chunk: Buffer) => {
    output += chunk.toString()
    onChange()
  })
  shell.stderr.on('data', (chunk: Buffer) => {
    errors += chunk.toString()
  })
  shell.stdin.on('error', () => {})
  let isClosed = false
  shell.once('close', () => {
    isClosed = true
    onChange()
  })
  const lines = () => output.split('\n').filter((line) => line !== '' && line !== endOfBlock)

  shell.stdin.write(`${definition}\n`)
  for (const [index, code] of codeBlocksOf(page, 'sh').entries()) {
    const commands = (options.replace ?? []).reduce((text, [from, to]) => text.replaceAll(from, to), code)
    shell.stdin.write(`${commands}echo '${endOfBlock}'\n`)
    await new Promise<void>((resolve) => {
      onChange = () => {
        if (isClosed || output.split(`${endOfBlock}\n`).length > index + 1) resolve()
      }
      onChange()
    })
    if (isClosed) throw new Error(`Block ${index + 1} of ${path} failed.\n${errors}\n${output}`)
    await options.afterBlock?.(index + 1, lines(), folder)
  }
  shell.stdin.end()
  return lines()
}

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
export const createGuideFolder = async (page: string): Promise<string> => {
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
  /** Receives the output so far, whenever there is more. A test can then do what the guide does outside the terminal. */
  readonly onOutput?: (text: string) => void
}

/**
 * Runs the commands of a guide in the shell of "Get started" and returns the lines that they print. A command that fails ends the
 * shell.
 * @throws Error when the shell exits with another status than 0.
 */
export const followGuide = async (
  server: TestServer,
  path: string,
  { env = {}, onOutput = () => {} }: FollowOptions = {},
): Promise<string[]> => {
  const page = await readRepositoryFile(path)
  const [definition = ''] = /^flowpost\(\) \{[\s\S]*?^\}$/m.exec(await readRepositoryFile('docs/get-started.md')) ?? []
  const folder = await createGuideFolder(page)
  const shell = spawn('sh', ['-euc', [definition, ...codeBlocksOf(page, 'sh')].join('\n')], {
    cwd: folder,
    env: {
      ...childEnvironment,
      PATH: `${dirname(process.execPath)}:${childEnvironment['PATH']}`,
      FLOWPOST_BASE_URL: server.url,
      FLOWPOST_API_KEY: server.keys.alice,
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  onTestFinished(() => void shell.kill())
  let output = ''
  let errors = ''
  shell.stdout.on('data', (chunk: Buffer) => {
    output += chunk.toString()
    onOutput(output)
  })
  shell.stderr.on('data', (chunk: Buffer) => {
    errors += chunk.toString()
  })
  const code = await new Promise((resolve) => shell.once('close', resolve))
  if (code !== 0) throw new Error(`The commands of ${path} exit with ${code}.\n${errors}\n${output}`)
  return output.trim().split('\n')
}

import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { codeBlocksOf, programsOf, repositoryFolder } from './guide-pages.ts'
import { openGuideTerminal } from './guide-terminal.ts'
import type { TestServer } from './test-server.ts'

/** Installs the SDK in a folder, and saves the programs of a guide there. */
const prepareFolder = (folder: string, guide: string): void => {
  const installed = join(folder, 'node_modules/@flowpost')
  mkdirSync(installed, { recursive: true })
  symlinkSync(join(repositoryFolder, 'packages/client'), join(installed, 'client'))
  for (const [name, code] of programsOf(guide)) writeFileSync(join(folder, name), code)
}

/** The options of {@link followGuide}. */
export interface FollowOptions {
  readonly env?: Readonly<Record<string, string>>
  /** Replacements for texts in the commands that depend on the machine, such as a port. */
  readonly replace?: readonly (readonly [text: string, replacement: string])[]
  /**
   * Called after each block with the number of that block, starting with 1, and all lines so far. Performs the steps that the
   * guide takes outside the terminal.
   */
  readonly afterBlock?: (number: number, lines: readonly string[], folder: string) => Promise<void> | void
}

/**
 * Runs a guide's `sh` blocks one after the other in the terminal from "Get started", and returns the lines that the blocks
 * print.
 * @throws Error when a command fails, which ends the shell.
 */
export const followGuide = async (server: TestServer, guide: string, options: FollowOptions = {}): Promise<string[]> => {
  const { env, replace = [], afterBlock } = options
  await using terminal = openGuideTerminal(server, env)
  prepareFolder(terminal.folder, guide)
  await terminal.run('set -eu')
  const lines: string[] = []
  for (const [index, code] of codeBlocksOf(guide, 'sh').entries()) {
    const commands = replace.reduce((text, [from, to]) => text.replaceAll(from, to), code)
    const { output } = await terminal.run(commands)
    lines.push(...output.split('\n').filter((line) => line !== ''))
    await afterBlock?.(index + 1, lines, terminal.folder)
  }
  return lines
}

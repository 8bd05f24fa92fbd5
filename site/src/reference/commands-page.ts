import { commandTable } from '../../../packages/cli/src/command-table.ts'
import type { Io } from '../../../packages/cli/src/io.ts'
import { main } from '../../../packages/cli/src/main.ts'
import type { Page } from '../page.ts'
import { codeBlock, joinParts } from './markdown.ts'

/** Runs the command line in this process and returns what it prints. */
const run = async (args: readonly string[]): Promise<string> => {
  let text = ''
  const write = (part: string) => {
    text += part
  }
  const ask = async () => undefined
  const io: Io = {
    stdin: { isTTY: true, async *[Symbol.asyncIterator]() {} },
    stdout: { isTTY: false, columns: 90, write },
    stderr: { isTTY: false, columns: 90, write },
    env: { NO_COLOR: '1' },
    platform: 'linux',
    // Help texts must not depend on the machine that builds the site.
    homeFolder: '/home/user',
    workingFolder: '/home/user',
    now: () => 0,
    signal: new AbortController().signal,
    fetch,
    prompts: { secret: ask, text: ask, confirm: async () => false },
  }
  const code = await main(args, io)
  if (code !== 0) throw new Error(`flowpost ${args.join(' ')} failed: ${text}`)
  return text
}

/** Returns the names of the subcommands that a help text lists. */
const subcommandsOf = (help: string): string[] => {
  const [, list = ''] = /\nCommands:\n([\s\S]*?)(?:\n\n|$)/.exec(help) ?? []
  return [...list.matchAll(/^ {2}([a-z]+)/gm)].map(([, name = '']) => name).filter((name) => name !== 'help')
}

const describeCommand = async (name: string, level: 3 | 4): Promise<string> => {
  const help = await run([...name.split(' '), '--help'])
  const subcommands = await Promise.all(subcommandsOf(help).map((sub) => describeCommand(`${name} ${sub}`, 4)))
  return joinParts([`${'#'.repeat(level)} flowpost ${name}`, codeBlock('text', help), ...subcommands])
}

/** Generates the reference for the command line from each command's help text. */
export const createCommandsPage = async (): Promise<Page> => {
  const title = 'Commands'
  const sections: string[] = []
  for (const [group, entries] of Map.groupBy(commandTable, (entry) => entry.group)) {
    sections.push(`## ${group}`)
    for (const { name } of entries) sections.push(await describeCommand(name, 3))
  }
  const introduction =
    'The help text of every command. [Command line](/reference/cli) explains how to install the program and what the commands are for.'
  return {
    url: '/reference/cli-commands',
    title,
    markdown: joinParts([`# ${title}`, introduction, codeBlock('text', await run(['--help'])), ...sections]),
  }
}

import type { Command, Option } from 'commander'
import type { CommandContext } from '../command-context.ts'
import { shells } from './scripts.ts'

const flagOf = (option: Option): string => option.long ?? option.short ?? ''

const isFlag = (option: Option, word: string | undefined): boolean => word !== undefined && (word === option.long || word === option.short)

const visibleOptions = (command: Command): Option[] => command.createHelp().visibleOptions(command)

/** Returns the positional arguments: the words that are neither options nor values of the given options. */
const operandsOf = (words: readonly string[], options: readonly Option[]): string[] => {
  const operands: string[] = []
  for (let index = 0; index < words.length; index++) {
    const word = words[index] ?? ''
    if (!word.startsWith('-')) operands.push(word)
    else if (options.some((option) => isFlag(option, word) && option.required)) index += 1
  }
  return operands
}

/** Returns the command or subcommand with the given names, and loads its module. */
const findCommand = async (program: Command, [name, subname]: readonly string[], context: CommandContext): Promise<Command | undefined> => {
  if (name === undefined) return program
  const command = program.commands.find((candidate) => candidate.name() === name)
  // `completion` is the running command, so it is already defined.
  if (command && name !== 'completion') await context.defineCommand(command)
  return command?.commands.find((candidate) => candidate.name() === subname) ?? command
}

/**
 * Returns completions for the last word, which may be empty. For speed, loads only the named command's module and
 * sends no request. Returns no completions where the shell should complete file names.
 */
export const suggest = async (words: readonly string[], program: Command, context: CommandContext): Promise<string[]> => {
  const word = words.at(-1) ?? ''
  const before = words.slice(0, -1)
  const select = (candidates: readonly string[]) => [...new Set(candidates)].filter((candidate) => candidate.startsWith(word))
  const environmentNames = async () => [...(await context.environmentsFile.read()).named.keys()]

  const globals = visibleOptions(program)
  const operands = operandsOf(before, globals)
  const command = await findCommand(program, operands, context)
  if (command === undefined) return []
  const options = [...visibleOptions(command), ...globals]
  const open = options.find((option) => option.required && isFlag(option, before.at(-1)))
  if (open) return select(open.argChoices ?? (open.long === '--env' ? await environmentNames() : []))
  if (word.startsWith('-')) return select(options.map(flagOf))
  if (command.parent?.name() === 'env') return command.name() === 'list' ? [] : select(await environmentNames())
  if (command.name() === 'completion') return select(shells)
  return select(command.commands.map((subcommand) => subcommand.name()))
}

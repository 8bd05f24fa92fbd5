import type { Command } from 'commander'
import { CliError } from '../cli-error.ts'
import type { DefineCommand } from '../command-context.ts'
import { completionScript, shells } from '../completion/scripts.ts'
import { suggest } from '../completion/suggest.ts'
import { addExamples } from '../examples.ts'

/** `flowpost completion`: prints the completion script for a shell. The script calls this command with `--suggest`. */
export const defineCompletion: DefineCommand = (command, context) => {
  const { io } = context
  addExamples(
    command,
    'source <(flowpost completion bash)    # in ~/.bashrc',
    'source <(flowpost completion zsh)     # in ~/.zshrc, after compinit',
    'flowpost completion fish > ~/.config/fish/completions/flowpost.fish',
  )
  command
    .usage(`<${shells.join('|')}>`)
    .argument('[words...]')
    .addOption(command.createOption('--suggest', 'print completions for the last word').hideHelp())
    .action(async (words, options) => {
      if (options.suggest) {
        const program = command.parent as unknown as Command
        for (const suggestion of await suggest(words, program, context)) io.stdout.write(`${suggestion}\n`)
        return
      }
      const script = words.length === 1 ? completionScript(words[0] ?? '') : undefined
      if (script === undefined) throw new CliError('Name one shell.', `Shells: ${shells.join(', ')}.`)
      io.stdout.write(script)
    })
}

/** Adds examples to a command's help. */
export const addExamples = (command: { addHelpText(position: 'after', text: string): unknown }, ...lines: readonly string[]): void => {
  command.addHelpText('after', `\nExamples:\n${lines.map((line) => `  $ ${line}`).join('\n')}`)
}

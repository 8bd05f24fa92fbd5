/** Adds examples to the help of a command. */
export const addExamples = (command: { addHelpText(position: 'after', text: string): unknown }, ...lines: readonly string[]): void => {
  command.addHelpText('after', `\nExamples:\n${lines.map((line) => `  $ ${line}`).join('\n')}`)
}

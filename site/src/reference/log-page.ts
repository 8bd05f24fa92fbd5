import { logTopics } from '../../../apps/api/src/log-help/log-help.ts'
import type { Page } from '../page.ts'
import { joinParts } from './markdown.ts'

/** Generates the reference of the log lines that an operator acts on. A test compares it with the source code of the server. */
export const createLogPage = (): Page => {
  const title = 'Log lines'
  const topics = Object.entries(logTopics).flatMap(([topic, lines]) => [
    `## ${topic}`,
    ...lines.map(({ id, level, message, cause, remedy }) =>
      joinParts([
        `### \`${message.replaceAll('`', "'")}\` {#${id}}`,
        `Level: \`${level}\``,
        `**When**: ${cause}`,
        `**What to do**: ${remedy}`,
      ]),
    ),
  ])
  return {
    url: '/reference/log',
    title,
    outline: 2,
    markdown: joinParts([
      `# ${title}`,
      'The lines of the log that an operator acts on: all lines at `warn`, `error` and `fatal`, and some at `info`. `…` stands for a part that varies. Lines at `warn` and above have a field `help` with the address of their entry on this page, or of the page of their problem code. [Logs](/operate/telemetry#logs) describes the other lines and their fields.',
      ...topics,
    ]),
  }
}

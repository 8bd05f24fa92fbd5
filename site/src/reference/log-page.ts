import { logTopics } from '../../../apps/api/src/log-help/log-help.ts'
import type { Page } from '../page.ts'
import { joinParts } from './markdown.ts'

/**
 * Generates the reference for the log lines that an operator acts on. A test compares it with the server's source code.
 */
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
      'The log lines that an operator acts on: all lines at `warn`, `error` and `fatal`, and some at `info`. `…` stands for a part that varies. Lines at `warn` and above have a field `help` that links to their entry on this page, or to the page for their problem code. [Logs](/operate/telemetry#logs) describes the other lines and their fields.',
      ...topics,
    ]),
  }
}

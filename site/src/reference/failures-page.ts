import { slackErrorClasses } from '../../../packages/delivery/src/providers/slack-errors.ts'
import type { Page } from '../page.ts'
import { failureCodes, failureKinds } from './failure-codes.ts'
import { joinParts, table } from './markdown.ts'

const slackRows = Object.entries(slackErrorClasses).map(([code, { kind, retryable, advice }]) => [
  `\`${code}\``,
  `\`${kind}\``,
  kind === 'ambiguous' ? 'depends' : retryable ? 'yes' : 'no',
  advice,
])

const asCode = (code: string): string => (code.startsWith('`') ? code : `\`${code}\``)

const header = ['Code', 'Kind', 'Retried', 'Cause and remedy']

/** Generates the reference for the failure codes of deliveries. */
export const createFailuresPage = (): Page => {
  const title = 'Failure codes'
  return {
    url: '/reference/failures',
    title,
    markdown: joinParts([
      `# ${title}`,
      'A delivery that failed, or that is being retried, has a `failure` with a `kind`, a `code`, a `detail` and `retryable`. The kind tells you who can solve the problem. The code comes from the provider, or is defined by Flowpost.',
      `## Kinds\n\n${table(
        ['Kind', 'Cause', 'Retried'],
        failureKinds.map(([kind, cause, retried]) => [`\`${kind}\``, cause, retried]),
      )}`,
      ...failureCodes.map(({ heading, introduction, codes }) =>
        joinParts([
          `## ${heading}`,
          introduction,
          table(
            header,
            codes.map(([code, kind, retried, text]) => [asCode(code), kind === 'any' ? kind : `\`${kind}\``, retried, text]),
          ),
        ]),
      ),
      `## Slack\n\nErrors that Slack returns. Any other Slack error has the kind \`provider\` and is not retried.\n\n${table(header, slackRows)}`,
    ]),
  }
}

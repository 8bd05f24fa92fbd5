import { slackErrorClasses } from '../../../packages/delivery/src/providers/slack-errors.ts'
import type { Page } from '../page.ts'
import { failureCodes, failureKinds } from './failure-codes.ts'
import { joinParts, table } from './markdown.ts'

const slackRows = Object.entries(slackErrorClasses).map(([code, { kind, retryable, advice }]) => [
  `\`${code}\``,
  `\`${kind}\``,
  retryable ? 'yes' : 'no',
  advice,
])

const header = ['Code', 'Kind', 'Retried', 'Cause and remedy']

/** Generates the reference of the codes with which deliveries fail. */
export const createFailuresPage = (): Page => {
  const title = 'Failure codes'
  return {
    url: '/reference/failures',
    title,
    markdown: joinParts([
      `# ${title}`,
      'A delivery that failed, or that is being retried, has a `failure` with a `kind`, a `code`, a `detail` and `retryable`. The kind says who can do something about it. The code is that of the provider, or one of Flowpost.',
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
            codes.map(([code, kind, retried, text]) => [code.startsWith('`') ? code : `\`${code}\``, `\`${kind}\``, retried, text]),
          ),
        ]),
      ),
      `## Slack\n\nThe errors of Slack. Any other error of Slack has the kind \`provider\` and is not retried.\n\n${table(header, slackRows)}`,
    ]),
  }
}

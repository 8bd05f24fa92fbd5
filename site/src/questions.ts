/** A question that users of a comparable project asked, and the page that answers it for Flowpost. */
export interface Question {
  readonly question: string
  /** The issue or pull request in which the question was asked. */
  readonly source: string
  /** The words that a reader would type into the search. */
  readonly search: string
  /** The page that answers the question. It must be among the first search results. */
  readonly page: string
}

/** Questions from the issue trackers of Novu, Apprise, ntfy, Svix, Resend and Gotify. */
export const questions: readonly Question[] = [
  {
    question: 'How do I repeat a request without sending the notification twice?',
    source: 'https://github.com/novuhq/novu/pull/8776',
    search: 'idempotency key send twice',
    page: '/guides/idempotency',
  },
  {
    question: 'Are there metrics for Prometheus?',
    source: 'https://github.com/novuhq/novu/issues/6288',
    search: 'prometheus metrics',
    page: '/reference/metrics',
  },
  {
    question: 'Why does Slack reject messages to a channel, although the token is valid?',
    source: 'https://github.com/caronc/apprise/issues/1429',
    search: 'slack not_in_channel',
    page: '/reference/failures',
  },
  {
    question: "What happens if the mail server's certificate is self-signed?",
    source: 'https://github.com/caronc/apprise/issues/1639',
    search: 'smtp invalid certificate',
    page: '/reference/failures',
  },
  {
    question: 'How long are messages stored, and when are they deleted?',
    source: 'https://github.com/binwiederhier/ntfy/issues/389',
    search: 'retention messages stored days',
    page: '/reference/configuration',
  },
  {
    question: 'How do I cancel a scheduled message?',
    source: 'https://github.com/binwiederhier/ntfy/pull/1556',
    search: 'cancel notification',
    page: '/reference/api/notifications',
  },
  {
    question: 'Why does the verification of a signed request fail in Express?',
    source: 'https://github.com/svix/svix-webhooks/issues/1463',
    search: 'verify event express raw body',
    page: '/guides/events',
  },
  {
    question: 'Does the SDK wait and retry when a rate limit is reached?',
    source: 'https://github.com/resend/resend-node/issues/189',
    search: 'sdk retries rate limit',
    page: '/reference/sdk-errors',
  },
  {
    question: 'How does the server see the addresses of clients behind a reverse proxy?',
    source: 'https://github.com/gotify/server/issues/554',
    search: 'proxy x-forwarded-for',
    page: '/reference/configuration',
  },
  {
    question: 'What do I have to back up, and how do I restore it?',
    source: 'https://github.com/gotify/website/issues/106',
    search: 'backup restore',
    page: '/guides/backup',
  },
]

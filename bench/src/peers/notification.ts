import { z } from 'zod'

/**
 * The body of a request to a peer, and the data of the peer's jobs. A peer is a service that does the same work as
 * Flowpost, for comparison.
 */
export const Notification = z.object({
  subject: z
    .string()
    .min(1)
    .max(998)
    .regex(/^[^\r\n]*$/),
  message: z.string().min(1).max(100_000),
  target: z.email(),
})

export type Notification = z.output<typeof Notification>

// The same template as in Flowpost's flow.
const template = 'Hi,\n\n{{subject}}: {{message}}\n\nYours, Operations'

const render = (values: Readonly<Record<string, string>>): string =>
  template.replace(/{{(\w+)}}/g, (_placeholder, name: string) => values[name] ?? '')

/** Composes the mail of a notification for nodemailer. */
export const toMail = ({ subject, message, target }: Notification) => ({
  from: 'bench@example.com',
  to: target,
  subject,
  text: render({ subject, message }),
})

import { type AcceptTarget, acceptStatement } from './accept-statement.ts'
import { offerBaseline } from './bare-server.ts'

// The body brings what the server would look up, so that storing is all that is left to do.
offerBaseline({
  statement: ({ body }) => {
    const { subject, message, ...target } = JSON.parse(body) as AcceptTarget & { subject: string; message: string }
    return acceptStatement(target, subject, message)
  },
  answer: () => ({ status: 202, body: '{"status":"queued"}' }),
})

import { type AcceptTarget, acceptStatement } from './accept-statement.ts'
import { serveBaseline } from './bare-server.ts'

// The request body contains the ids that Flowpost would look up, so the baseline only stores rows.
serveBaseline({
  statement: ({ body }) => {
    const { subject, message, ...target } = JSON.parse(body) as AcceptTarget & { subject: string; message: string }
    return acceptStatement(target, subject, message)
  },
  respond: () => ({ status: 202, body: '{"status":"queued"}' }),
})

import { type AcceptTarget, acceptStatement } from './accept-statement.ts'
import { serveBaseline } from './bare-server.ts'

// Stores the same rows as Flowpost, except for the job in the queue. Looks nothing up: the request body contains the ids that
// Flowpost has to look up.
serveBaseline({
  statement: ({ body }) => {
    const { subject, message, ...target } = JSON.parse(body) as AcceptTarget & { subject: string; message: string }
    return acceptStatement(target, subject, message)
  },
  respond: () => ({ status: 202, body: '{"status":"queued"}' }),
})

import { serveBaseline } from './bare-server.ts'
import { flowColumns, fromFlowsOfKey } from './flow-columns.ts'

const text = `select ${flowColumns} ${fromFlowsOfKey} and p.id = $2 and f.id = $3`

// Handles `GET /<project>/<flow>`. Both ids are UUIDs.
serveBaseline({
  statement: ({ path, tokenHash }) => {
    const [, project, flow] = path.split('/')
    return { name: 'get', text, values: [tokenHash(), project, flow] }
  },
  respond: ([row]) => (row ? { status: 200, body: JSON.stringify(row) } : { status: 404, body: '{}' }),
})

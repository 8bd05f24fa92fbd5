import { serveBaseline } from './bare-server.ts'
import { flowColumns, fromFlowsOfKey } from './flow-columns.ts'

const text = `select ${flowColumns} ${fromFlowsOfKey} and p.id = $2 order by f.id limit 100`

// Handles `GET /<project>`. The id is a UUID.
serveBaseline({
  statement: ({ path, tokenHash }) => ({ name: 'list', text, values: [tokenHash(), path.slice(1)] }),
  respond: (rows) => (rows.length === 100 ? { status: 200, body: JSON.stringify({ data: rows }) } : { status: 404, body: '{}' }),
})

import { offerBaseline } from './bare-server.ts'
import { ofKeyHolder, shownColumns } from './shown-flow.ts'

const text = `select ${shownColumns} ${ofKeyHolder} and p.id = $2 order by f.id limit 100`

// GET /<project>, a UUID.
offerBaseline({
  statement: ({ path, tokenHash }) => ({ name: 'list', text, values: [tokenHash(), path.slice(1)] }),
  answer: (rows) => (rows.length === 100 ? { status: 200, body: JSON.stringify({ data: rows }) } : { status: 404, body: '{}' }),
})

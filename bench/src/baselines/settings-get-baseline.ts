import { offerBaseline } from './bare-server.ts'
import { ofKeyHolder, shownColumns } from './shown-flow.ts'

const text = `select ${shownColumns} ${ofKeyHolder} and p.id = $2 and f.id = $3`

// GET /<project>/<flow>, both UUIDs.
offerBaseline({
  statement: ({ path, tokenHash }) => {
    const [, project, flow] = path.split('/')
    return { name: 'get', text, values: [tokenHash(), project, flow] }
  },
  answer: ([row]) => (row ? { status: 200, body: JSON.stringify(row) } : { status: 404, body: '{}' }),
})

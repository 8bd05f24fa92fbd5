import { serveBaseline } from './bare-server.ts'
import { flowColumns } from './flow-columns.ts'

const text = `update flows f set name = $4, active = $5, source_type = $6, target = $7, override_target = $8, message_template = $9,
    message_template_type = $10, updated_at = now()
  from api_keys k join projects p on p.user_id = k.user_id
  where k.token_hash = $1 and k.revoked_at is null and (k.expires_at is null or k.expires_at > now())
    and p.id = $2 and f.project_id = p.id and f.id = $3
  returning ${flowColumns}`

// Handles `PUT /<project>/<flow>` with the seven fields of a flow. Both ids are UUIDs.
serveBaseline({
  statement: ({ path, body, tokenHash }) => {
    const [, project, id] = path.split('/')
    const flow = JSON.parse(body) as Record<string, unknown>
    const { name, active, source_type, target, override_target, message_template, message_template_type } = flow
    return {
      name: 'put',
      text,
      values: [tokenHash(), project, id, name, active, source_type, target, override_target, message_template, message_template_type],
    }
  },
  respond: ([row]) => (row ? { status: 200, body: JSON.stringify(row) } : { status: 404, body: '{}' }),
})

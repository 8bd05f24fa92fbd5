/** The columns that the API returns for a flow. */
export const flowColumns = [
  'id',
  'project_id',
  'name',
  'active',
  'source_type',
  'target',
  'override_target',
  'message_template',
  'message_template_type',
  'created_at',
  'updated_at',
  'health_status',
  'health_code',
  'health_detail',
  'health_since',
  'checked_at',
]
  .map((column) => `f.${column}`)
  .join(', ')

/**
 * The `from` and `where` clauses that select the flows of an API key's user. With them, one statement both authorizes and
 * answers a request.
 */
export const fromFlowsOfKey = `from api_keys k join projects p on p.user_id = k.user_id join flows f on f.project_id = p.id
  where k.token_hash = $1 and k.revoked_at is null and (k.expires_at is null or k.expires_at > now())`

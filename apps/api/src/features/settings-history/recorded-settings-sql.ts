const flowFields = [
  'key',
  'name',
  'active',
  'source_type',
  'target',
  'override_target',
  'message_template',
  'message_template_type',
] as const

/** Returns an SQL expression for a flow's recorded settings as JSON text. The SQL equivalent of `recordedFlow`. */
export const flowSettingsSql = (alias: string): string =>
  `json_build_object(${flowFields.map((field) => `'${field}', ${alias}.${field}`).join(', ')})::text`

/**
 * Returns an SQL expression for the JSON Pointers to the fields in which two versions of a flow differ. The SQL
 * equivalent of `changedFields`.
 */
export const changedFlowFieldsSql = (before: string, after: string): string =>
  `array_remove(array[${flowFields
    .map((field) => `case when ${before}.${field} is distinct from ${after}.${field} then '/${field}' end`)
    .join(', ')}], null)`

/**
 * Returns an SQL expression for an integration's recorded settings as JSON text. The SQL equivalent of
 * `recordedIntegration`.
 */
export const integrationSettingsSql = (alias: string): string =>
  `json_build_object('source_type', ${alias}.source_type, 'settings', ${alias}.settings, 'secrets',
    (select coalesce(json_object_agg(name, json_build_object('set', true) order by name), '{}') from unnest(${alias}.secret_names) as name))::text`

/**
 * Returns an SQL expression for an event endpoint's recorded settings as JSON text. The SQL equivalent of
 * `recordedEndpoint`.
 */
export const endpointSettingsSql = (alias: string): string =>
  `json_build_object('key', ${alias}.key, 'url', ${alias}.url, 'events', (select json_agg(distinct type order by type) from unnest(${alias}.events) as type),
    'active', ${alias}.active, 'description', ${alias}.description)::text`

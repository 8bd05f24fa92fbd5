import type { BodyIssue } from './api-error.ts'

const pairs = [
  { id: 'project_id', key: 'project', isRequired: true },
  { id: 'flow_id', key: 'flow', isRequired: false },
] as const

/**
 * Finds mistakes in the fields that identify a body's project and flow. The project must be given by either its id or its
 * key. The flow is optional, but must not be given by both.
 */
export const findAddressIssues = (body: unknown): BodyIssue[] => {
  if (body === null || typeof body !== 'object' || Array.isArray(body)) return []
  const fields = body as Readonly<Record<string, unknown>>
  return pairs.flatMap(({ id, key, isRequired }): BodyIssue[] => {
    if (fields[id] !== undefined && fields[key] !== undefined)
      return [{ pointer: `/${key}`, code: 'invalid_value', message: `Give either \`${id}\` or \`${key}\`, not both.` }]
    if (isRequired && fields[id] === undefined && fields[key] === undefined)
      return [{ pointer: `/${id}`, code: 'required', message: `Is required, unless \`${key}\` is given.` }]
    return []
  })
}

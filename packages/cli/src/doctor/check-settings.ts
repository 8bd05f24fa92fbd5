import type { Flow, Flowpost, Project } from '@flowpost/client'
import type { KeyDetails } from '../environments/key-details.ts'
import { formatDuration } from '../output/time-text.ts'
import type { Finding } from './finding.ts'

/** If a key expires within this many milliseconds, the command warns about it. */
const soonMs = 7 * 86_400_000

const allScopes = ['settings:read', 'settings:write', 'keys:write', 'notifications:send', 'notifications:read']

/** Describes what a key may do, and warns if the key expires soon. */
export const checkScopes = ({ listed, expiresAt, canReadSettings, canReadNotifications }: KeyDetails, now: number): Finding[] => {
  const findings: Finding[] = []
  if (listed !== null) {
    const missing = allScopes.filter((scope) => !listed.scopes.includes(scope))
    const bound = listed.project_id === null ? '' : `; only for project ${listed.project_id}`
    findings.push({
      check: 'scopes',
      status: 'ok',
      detail: `${listed.scopes.join(' ')}${missing.length > 0 ? `; not granted: ${missing.join(' ')}` : ''}${bound}`,
    })
  } else {
    const missing = [canReadSettings ? [] : 'settings:read', canReadNotifications ? [] : 'notifications:read'].flat()
    if (missing.length === 0) findings.push({ check: 'scopes', status: 'ok', detail: 'The key may read settings and notifications.' })
    else
      findings.push({
        check: 'scopes',
        status: 'warning',
        detail: `The key lacks ${missing.join(' and ')}.`,
        action: 'Use another key for commands that need the missing scopes.',
      })
  }
  const expiry = listed === null ? expiresAt : listed.expires_at
  if (expiry !== null && Date.parse(expiry) - now < soonMs)
    findings.push({
      check: 'expiry',
      status: 'warning',
      detail: `The key expires in ${formatDuration(Math.max(0, Date.parse(expiry) - now))}.`,
      action: 'Create another key with `flowpost keys create` and store it with `flowpost login`.',
    })
  return findings
}

const findingsOf = (project: Project, flow: Flow): Finding[] => {
  const check = `flow ${project.name} / ${flow.name}`
  const findings: Finding[] = []
  if (flow.health.status === 'unhealthy' && flow.active)
    findings.push({
      check,
      status: 'problem',
      detail: `unhealthy${flow.health.since === null ? '' : ` since ${flow.health.since}`}: ${flow.health.code}: ${flow.health.detail}`,
      action: "Correct the flow's target or the credentials of its provider, then run `flowpost check`.",
    })
  for (const { message, pointer } of flow.warnings)
    findings.push({ check, status: 'warning', detail: `${pointer}: ${message}`, action: 'Change the flow if this is not intended.' })
  return findings
}

/** Finds unhealthy flows, probable mistakes in flows, and projects without an active flow. */
export const checkFlows = async (flowpost: Flowpost, signal: AbortSignal): Promise<Finding[]> => {
  const findings: Finding[] = []
  let count = 0
  for await (const project of flowpost.projects.list({ limit: 1000 }, { signal })) {
    let hasActiveFlow = false
    for await (const flow of flowpost.flows.list(project.id, { limit: 1000 }, { signal })) {
      count += 1
      hasActiveFlow ||= flow.active
      findings.push(...findingsOf(project, flow))
    }
    if (!hasActiveFlow)
      findings.push({
        check: `project ${project.name}`,
        status: 'warning',
        detail: 'The project has no active flow, so it rejects notifications.',
        action: 'Add a flow or activate one.',
      })
  }
  if (!findings.some(({ status }) => status === 'problem'))
    findings.push({ check: 'flows', status: 'ok', detail: `${count} ${count === 1 ? 'flow' : 'flows'}; no active flow is unhealthy` })
  return findings
}

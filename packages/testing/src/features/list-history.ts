import { notFound } from '@flowpost/contract/rules'
import type { Principal } from '../http/handler.ts'
import { createPage, parsePageRequest } from '../http/pagination.ts'
import type { SettingsHistoryEntry, SettingsHistoryPage } from '../state/api-types.ts'
import { type MockContext, timestamp } from '../state/mock-context.ts'
import type { SettingsHistoryRecord } from '../state/store.ts'
import { findProject } from './projects.ts'

const retentionMs = 400 * 24 * 3_600_000

/** Returns the earliest time that the settings history covers. */
export const historyStart = (context: MockContext): string => timestamp(context, context.clock.now() - retentionMs)

const toEntry = ({ userId: _, resourceCreatedAt: __, previousUpdatedAt: ___, ...entry }: SettingsHistoryRecord): SettingsHistoryEntry =>
  entry

/** The query of a settings history request. */
interface HistoryQuery {
  readonly limit: number
  readonly cursor?: string | undefined
  readonly project_id?: string | undefined
}

/**
 * Returns a page of the settings history.
 *
 * @throws {ApiError} `invalid_cursor`, or `not_found` when the credential cannot access the project. A deleted project
 * is accessible while the history contains changes to it.
 */
export const listHistory = (context: MockContext, principal: Principal, { project_id, ...page }: HistoryQuery): SettingsHistoryPage => {
  const { userId } = principal
  const request = parsePageRequest('settings-history', 'newest first', { project_id, user_id: userId }, page)
  const start = historyStart(context)
  const projectId = project_id ?? principal.projectId
  const rows = [...context.store.settingsHistory.values()].filter(
    (entry) => entry.userId === userId && entry.changed_at >= start && (projectId ?? entry.project_id) === entry.project_id,
  )
  if (project_id !== undefined && (principal.projectId ?? project_id) !== project_id) throw notFound()
  if (project_id !== undefined && rows.length === 0) findProject(context, principal, project_id)
  return createPage(request, rows, toEntry)
}

import type { Project } from '@flowpost/contract'
import { recordedProject } from '@flowpost/contract/rules'
import type { z } from 'zod'
import { timestamp } from '../../database/database.ts'
import { toId, type Uuid } from '../../shared/ids.ts'
import type { ResourceState } from '../settings-history/record-changes.ts'

/** The project columns that API responses need. */
export interface ProjectRow {
  readonly id: Uuid
  readonly name: string
  readonly key: string | null
  readonly created_at: string | Date
  readonly updated_at: string | Date
}

/** Returns the API representation of a project. */
export const toProject = (row: ProjectRow): z.output<typeof Project> => ({
  id: toId('project', row.id),
  name: row.name,
  key: row.key,
  created_at: timestamp(row.created_at),
  updated_at: timestamp(row.updated_at),
})

/** Returns a project's state for the settings history. */
export const projectState = (row: ProjectRow): ResourceState => ({
  settings: recordedProject(row),
  created_at: row.created_at,
  updated_at: row.updated_at,
})

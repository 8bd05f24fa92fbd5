import type { Project } from '@flowpost/contract'
import type { z } from 'zod'
import { timestamp } from '../../database/database.ts'
import { toId, type Uuid } from '../../shared/ids.ts'

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

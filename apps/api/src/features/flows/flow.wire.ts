import type { Flow } from '@flowpost/contract'
import { type TextType, templateWarnings } from '@flowpost/domain'
import type { z } from 'zod'
import { timestamp } from '../../database/database.ts'
import { toId, type Uuid } from '../../shared/ids.ts'
import type { Channels } from './channels.ts'

/** The columns of a flow that its representation needs. */
export interface FlowRow {
  readonly id: Uuid
  readonly project_id: Uuid
  readonly name: string
  readonly active: boolean
  readonly source_type: string
  readonly target: string
  readonly override_target: boolean
  readonly message_template: string
  readonly message_template_type: TextType
  readonly created_at: string | Date
  readonly updated_at: string | Date
}

/** A flow as the wire has it, with what looks wrong in it. */
export const toFlow = (row: FlowRow, channels: Channels): z.output<typeof Flow> => ({
  id: toId('flow', row.id),
  project_id: toId('project', row.project_id),
  name: row.name,
  active: row.active,
  source_type: row.source_type,
  target: row.target,
  override_target: row.override_target,
  message_template: row.message_template,
  message_template_type: row.message_template_type,
  warnings: templateWarnings({
    template: row.message_template,
    templateType: row.message_template_type,
    channelKind: channels.get(row.source_type)?.kind ?? 'email',
  }),
  created_at: timestamp(row.created_at),
  updated_at: timestamp(row.updated_at),
})

import type { Flow } from '@flowpost/contract'
import { recordedFlow } from '@flowpost/contract/rules'
import { type Channels, type FlowHealth, findTemplateWarnings, type TextType } from '@flowpost/domain'
import type { z } from 'zod'
import { timestamp, timestampOrNull } from '../../database/database.ts'
import { etagOf } from '../../http/etag.ts'
import { toId, type Uuid } from '../../shared/ids.ts'
import type { ResourceState } from '../settings-history/record-changes.ts'

/** The flow columns, without the health. */
export interface FlowRow {
  readonly id: Uuid
  readonly project_id: Uuid
  readonly name: string
  readonly key: string | null
  readonly active: boolean
  readonly source_type: string
  readonly target: string
  readonly override_target: boolean
  readonly message_template: string
  readonly message_template_type: TextType
  readonly created_at: string | Date
  readonly updated_at: string | Date
}

/** A flow that a notification may trigger. The template is `null` if it was not read, and empty if the flow is not active. */
export interface CandidateFlow extends Omit<FlowRow, 'message_template'> {
  readonly message_template: string | null
}

/** A {@link FlowRow} with the health of the flow. */
export interface FlowWithHealthRow extends FlowRow {
  readonly health_status: FlowHealth['status']
  readonly health_code: string | null
  readonly health_detail: string | null
  readonly health_since: string | Date | null
  readonly checked_at: string | Date | null
}

/** The health of a new flow, and of a flow whose source type or target has changed. */
export const noHealth = {
  health_status: 'unknown',
  health_code: null,
  health_detail: null,
  health_since: null,
  checked_at: null,
} as const

/** Returns the API representation of a flow, with warnings about its template. */
export const toFlow = (row: FlowWithHealthRow, channels: Channels): z.output<typeof Flow> => ({
  id: toId('flow', row.id),
  project_id: toId('project', row.project_id),
  name: row.name,
  key: row.key,
  active: row.active,
  source_type: row.source_type,
  target: row.target,
  override_target: row.override_target,
  message_template: row.message_template,
  message_template_type: row.message_template_type,
  warnings: findTemplateWarnings({
    template: row.message_template,
    templateType: row.message_template_type,
    channel: channels.get(row.source_type),
  }),
  health: {
    status: row.health_status,
    code: row.health_code,
    detail: row.health_detail,
    since: timestampOrNull(row.health_since),
    checked_at: timestampOrNull(row.checked_at),
  },
  created_at: timestamp(row.created_at),
  updated_at: timestamp(row.updated_at),
})

/** Returns a flow's state for the settings history. */
export const flowState = (row: FlowRow): ResourceState => ({
  settings: recordedFlow(row),
  created_at: row.created_at,
  updated_at: row.updated_at,
})

// The approximate size, in bytes, of a cached flow without its texts. It includes the data that `domain` caches for the flow.
const fixedBytes = 3_000

/** Returns the approximate memory use, in bytes, of a flow that is cached as a row or as its API representation. */
export const flowBytes = ({ name, target, message_template }: CandidateFlow): number =>
  fixedBytes + 2 * (name.length + target.length + (message_template?.length ?? 0))

/**
 * Returns a flow's entity tag. The tag does not cover the health, because a delivery that changes the health must not
 * make a writer's `If-Match` fail. As a consequence, a GET may return 304 although the health has changed.
 */
export const flowEtag = ({ health: _, ...flow }: z.output<typeof Flow>): string => etagOf(flow)

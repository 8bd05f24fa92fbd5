import { findTemplateWarnings } from '@flowpost/domain'
import { etagOf } from '../http/etag.ts'
import type { FlowRecord } from '../state/records.ts'
import type { Flow } from '../state/wire.ts'
import { providerOf, type World } from '../state/world.ts'

/** A flow as the wire has it, with what looks wrong in it. */
export const toFlow = (world: World, record: FlowRecord): Flow => {
  const { condition, checked_at, created_at, updated_at, ...fields } = record
  const { status, code, detail, since } = condition
  const warnings = findTemplateWarnings({
    template: record.message_template,
    templateType: record.message_template_type,
    channelKind: providerOf(world, record.source_type)?.kind ?? 'email',
  })
  return { ...fields, warnings, health: { status, code, detail, since, checked_at }, created_at, updated_at }
}

/** What the entity tag of a flow covers: all but its health, which changes by itself. */
export const taggedFlow = ({ health: _, ...flow }: Flow): Omit<Flow, 'health'> => flow

/** The entity tag of a flow. */
export const flowEtag = (flow: Flow): string => etagOf(taggedFlow(flow))

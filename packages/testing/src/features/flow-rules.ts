import type { FieldError } from '@flowpost/contract'
import { templateWarnings } from '@flowpost/domain'
import { etagOf } from '../http/etag.ts'
import type { FlowRecord } from '../state/records.ts'
import type { Flow } from '../state/wire.ts'
import { providerOf, type World } from '../state/world.ts'

/** The faults that only a channel can find in a flow: a `source_type` that is not served, and a target that it cannot have. */
export const channelFaults = (world: World, fields: { source_type?: unknown; target?: unknown }): FieldError[] => {
  const { source_type: sourceType, target } = fields
  if (typeof sourceType !== 'string') return []
  const channel = providerOf(world, sourceType)
  if (!channel) {
    const served = [...world.settings.providers.keys()].map((id) => JSON.stringify(id)).join(', ')
    return [{ in: 'body', pointer: '/source_type', code: 'invalid_value', message: `Is not served here. Must be one of ${served}.` }]
  }
  if (typeof target !== 'string' || target === '') return []
  const result = channel.parseTarget(target)
  return result.ok ? [] : [{ in: 'body', pointer: '/target', code: 'invalid_target', message: result.message }]
}

/** A target in the form that its channel stores; as it is when the channel cannot read it. */
export const canonicalTarget = (world: World, sourceType: string, target: string): string => {
  const result = providerOf(world, sourceType)?.parseTarget(target)
  return result?.ok ? result.target : target
}

/** A flow as the wire has it, with what looks wrong in it. */
export const toFlow = (world: World, record: FlowRecord): Flow => {
  const { condition, checked_at, created_at, updated_at, ...fields } = record
  const { status, code, detail, since } = condition
  const warnings = templateWarnings({
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

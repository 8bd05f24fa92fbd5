import { findTemplateWarnings } from '@flowpost/domain'
import { etagOf } from '../http/etag.ts'
import type { Flow } from '../state/api-types.ts'
import { type MockContext, providerOf } from '../state/mock-context.ts'
import type { FlowRecord } from '../state/store.ts'

/** Serializes a flow with its warnings. The order of the fields is fixed, because the entity tag depends on it. */
export const toFlow = (context: MockContext, record: FlowRecord): Flow => {
  const { id, project_id, name, key, active, source_type, target, override_target, message_template, message_template_type } = record
  const { condition, checked_at, created_at, updated_at } = record
  const { status, code, detail, since } = condition
  const warnings = findTemplateWarnings({
    template: record.message_template,
    templateType: record.message_template_type,
    channel: providerOf(context, record.source_type),
  })
  const fields = { id, project_id, name, key, active, source_type, target, override_target, message_template, message_template_type }
  return { ...fields, warnings, health: { status, code, detail, since, checked_at }, created_at, updated_at }
}

/** Returns the part of a flow that its entity tag covers. Excludes the health, because deliveries change it. */
export const omitHealth = ({ health: _, ...flow }: Flow): Omit<Flow, 'health'> => flow

/** Returns the entity tag of a flow. */
export const flowEtag = (flow: Flow): string => etagOf(omitHealth(flow))

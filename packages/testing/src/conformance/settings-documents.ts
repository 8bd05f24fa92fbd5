import type { SettingsApply, SettingsChange } from '@flowpost/client'
import type { ScenarioContext } from './context.ts'

/** A settings document without the options `prune` and `dry_run`. */
export type Document = Omit<SettingsApply, 'prune' | 'dry_run'>
/** A flow in a settings document. */
export type DocumentFlow = Document['flows'][number]

/** Returns a flow for a settings document. */
export const flowOf = (context: ScenarioContext, key: string, fields: Partial<DocumentFlow> = {}): DocumentFlow => ({
  key,
  name: `Flow ${key}`,
  active: true,
  source_type: context.receiver.source_type,
  target: context.receiver.target,
  override_target: false,
  message_template: 'Hello {{message}}',
  message_template_type: 'text/plain',
  ...fields,
})

/** Returns a key that no other resource has, such as `conformance-9f86d081884c7d65`. */
export const uniqueKey = ({ uniqueName }: ScenarioContext): string => uniqueName().replaceAll(' ', '-')

/** Returns a settings document with two flows. */
export const documentOf = (context: ScenarioContext, fields: Partial<Document> = {}): Document => ({
  project: { key: uniqueKey(context), name: context.uniqueName() },
  flows: [flowOf(context, 'ops'), flowOf(context, 'alerts', { active: false })],
  ...fields,
})

/** Applies a settings document. If the document creates a project, the project is deleted after the scenario. */
export const apply = async (context: ScenarioContext, body: SettingsApply, ifMatch?: string) => {
  const applied = await context.client.settings.apply(body, ifMatch === undefined ? {} : { ifMatch: `"${ifMatch}"` })
  const { project_id } = applied
  if (project_id !== null && applied.changes[0]?.action === 'create') context.onCleanup(({ client }) => client.projects.delete(project_id))
  return applied
}

/** Creates a project by applying a settings document. */
export const create = async (context: ScenarioContext, fields: Partial<Document> = {}) => {
  const document = documentOf(context, fields)
  const applied = await apply(context, document)
  const projectId = applied.project_id ?? ''
  const idOf = (key: string) => applied.changes.find((change) => change.kind === 'flow' && change.key === key)?.id ?? ''
  return { document, applied, projectId, idOf, idsByKey: new Map(document.flows.map(({ key }) => [key, idOf(key)])) }
}

/** Returns the action, kind, key and pointer of each change whose action is not `none`. */
export const effects = (changes: readonly SettingsChange[]) =>
  changes.filter(({ action }) => action !== 'none').map(({ action, kind, key, pointer }) => [action, kind, key, pointer ?? null])

/** An SMTP integration for a settings document. */
export const smtp = { source_type: 'smtp', settings: { host: 'smtp.example.com', from: 'conformance@example.com', user: 'conformance' } }
/** The secret for {@link smtp}. */
export const password = { password: 'correct horse' }

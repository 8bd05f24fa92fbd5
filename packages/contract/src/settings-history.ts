import { z } from 'zod'
import { settingsHistoryExample } from './examples.ts'
import { Id, OpenEnum, PageOf, TimestampField } from './primitives.ts'

const Settings = z.record(z.string(), z.unknown()).nullable()

/** One recorded change to a project's settings. */
export const SettingsHistoryEntry = z
  .object({
    id: Id('settingsHistoryEntry', 'The id of the entry.'),
    project_id: Id('project', 'The id of the project whose settings changed.'),
    changed_at: TimestampField('When the settings changed.'),
    action: OpenEnum(['create', 'update', 'delete']).meta({ description: 'The kind of change.' }),
    kind: OpenEnum(['project', 'flow', 'integration', 'event_endpoint']).meta({ description: 'The kind of resource.' }),
    resource_id: z
      .string()
      .nullable()
      .meta({
        description: 'The id of the project, flow or event endpoint; `null` for integrations.',
        examples: ['flw_01jdv3k2m8f6wbn0q4z5t7x9ya'],
      }),
    key: z
      .string()
      .nullable()
      .meta({
        description:
          'The key of the project, flow or event endpoint; `null` if it has no key. If an update changed the key, this is the new key. For an integration, this is the provider.',
        examples: ['ops-mail'],
      }),
    changed_by: Id('apiKey', 'The API key.')
      .nullable()
      .meta({ description: 'The API key that made the change; `null` if the change was made with an access token.' }),
    request_id: z.string().meta({ description: 'The `X-Request-Id` of the request that made the change.' }),
    fields: z.array(z.string()).meta({
      description:
        'For an update: a JSON Pointer (RFC 6901) to each changed field, such as `/target`, `/settings/host` or `/secrets/password`. Empty for creations and deletions.',
      examples: [['/target']],
    }),
    before: Settings.meta({
      description:
        'The settings before the change, with the field names of the API; `null` for a creation. Only the names of secrets are recorded, not their values.',
    }),
    after: Settings.meta({
      description:
        'The settings after the change, with the field names of the API; `null` for a deletion. Only the names of secrets are recorded, not their values.',
    }),
  })
  .meta({
    id: 'SettingsHistoryEntry',
    description: "One recorded change to a project's settings.",
    examples: [settingsHistoryExample],
  })

/** A page of the settings history. */
export const SettingsHistoryPage = PageOf('SettingsHistoryPage', SettingsHistoryEntry)

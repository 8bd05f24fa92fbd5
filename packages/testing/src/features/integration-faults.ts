import type { FieldError } from '@flowpost/contract'
import { fieldErrors } from '../http/field-errors.ts'
import type { FieldsSchema, MockProvider } from '../state/providers.ts'
import type { IntegrationRecord } from '../state/records.ts'

type Fields = Readonly<Record<string, unknown>>

/** What a PUT would store, and what is wrong with it. */
export interface CheckedIntegration {
  readonly settings: Fields
  /** All secrets after the request: those that it gives, and those that it keeps. */
  readonly secrets: Fields
  readonly faults: readonly FieldError[]
}

const isFields = (value: unknown): value is Fields => typeof value === 'object' && value !== null && !Array.isArray(value)

const partFaults = (part: 'settings' | 'secrets', schema: FieldsSchema, value: Fields): FieldError[] => {
  const result = schema.safeParse(value)
  if (result.success) return []
  const { issues } = result.error as { issues: readonly { readonly path: readonly PropertyKey[] }[] }
  return fieldErrors('body', { issues: issues.map((issue) => ({ ...issue, path: [part, ...issue.path] })) }, { [part]: value })
}

const pointerOf = (name: string): string => `/secrets/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`

/**
 * Merges the secrets of a request into the stored ones (one that is left out is kept, `null` removes it) and checks the
 * result by the schemas of the provider.
 */
export const checkIntegration = (
  provider: MockProvider,
  stored: IntegrationRecord | undefined,
  body: { readonly settings?: unknown; readonly secrets?: unknown },
): CheckedIntegration => {
  const settings = isFields(body.settings) ? body.settings : {}
  const settingsFaults = isFields(body.settings) ? partFaults('settings', provider.settings, settings) : []

  const given: Fields = isFields(body.secrets) ? body.secrets : {}
  const before = stored?.secrets ?? {}
  const isKnown = (name: string) => Object.hasOwn(provider.secrets.shape, name)
  const kept = Object.fromEntries(Object.entries(before).filter(([name]) => isKnown(name) && !Object.hasOwn(given, name)))
  const secrets = { ...kept, ...Object.fromEntries(Object.entries(given).filter(([, value]) => value !== null)) }
  const unknownRemovals = Object.keys(given)
    .filter((name) => given[name] === null && !isKnown(name) && !Object.hasOwn(before, name))
    .map((name): FieldError => {
      return { in: 'body', pointer: pointerOf(name), code: 'unknown_field', message: 'Is not a field of this resource.' }
    })
  return { settings, secrets, faults: [...settingsFaults, ...unknownRemovals, ...partFaults('secrets', provider.secrets, secrets)] }
}

import type { FieldError } from '../problem.ts'
import { fieldErrorsWithin, pointerOf } from './field-errors.ts'

type Fields = Readonly<Record<string, unknown>>

/** The schema of a provider's settings or secrets: a zod strict object, as far as it is used. */
interface FieldsSchema {
  readonly shape: Readonly<Record<string, unknown>>
  safeParse(value: unknown): { readonly success: true; readonly data: unknown } | { readonly success: false; readonly error: unknown }
}

/** The part of a provider that an integration is checked by. */
export interface IntegrationRules {
  readonly settings: FieldsSchema
  readonly secrets: FieldsSchema
  /** The fields that decide where secrets go. Default: all. */
  readonly secretDestination?: { readonly settings?: readonly string[]; readonly secrets?: readonly string[] } | undefined
}

/** An integration that is stored already. */
export interface StoredIntegration {
  readonly settings: unknown
  /** The names of its secrets. */
  readonly names: readonly string[]
  /** Decrypts the secrets with these names; `undefined` when they cannot be decrypted. Not called when none is kept. */
  readonly open: (names: readonly string[]) => Fields | undefined
}

/** What a PUT would store, and what is wrong with it. */
export interface MergedIntegration {
  readonly settings: Record<string, unknown>
  /** All secrets after the request: those that it gives, and those that it keeps. */
  readonly secrets: Record<string, unknown>
  readonly faults: readonly FieldError[]
}

const isFields = (value: unknown): value is Fields => typeof value === 'object' && value !== null && !Array.isArray(value)

const partFaults = (part: 'settings' | 'secrets', schema: FieldsSchema, value: Fields): FieldError[] => {
  const result = schema.safeParse(value)
  return result.success ? [] : fieldErrorsWithin('body', part, result.error, value)
}

/** A text that is the same for two values with the same content, whatever the order of their fields. */
const canonical = (value: unknown): string | undefined =>
  JSON.stringify(value, (_, inner) =>
    isFields(inner) ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1))) : inner,
  )

/** Settings with their defaults, or as they are when the schema rejects them. */
const withDefaults = (schema: FieldsSchema, settings: unknown): Fields => {
  const result = schema.safeParse(settings)
  const value = result.success ? result.data : settings
  return isFields(value) ? value : {}
}

/** Whether the secrets would go somewhere else than they were set for. */
const isMoved = (rules: IntegrationRules, stored: StoredIntegration, settings: Fields, given: Fields): boolean => {
  const { secretDestination } = rules
  const deciding = secretDestination ? (secretDestination.settings ?? []) : Object.keys(rules.settings.shape)
  const addresses = secretDestination ? (secretDestination.secrets ?? []) : Object.keys(rules.secrets.shape)
  const before = withDefaults(rules.settings, stored.settings)
  const after = withDefaults(rules.settings, settings)
  return (
    deciding.some((name) => canonical(before[name]) !== canonical(after[name])) ||
    // Not compared with what is stored: the answer would tell whether a guess was right.
    addresses.some((name) => given[name] !== undefined && given[name] !== null)
  )
}

const aboutSecret = (name: string, code: FieldError['code'], message: string): FieldError => ({
  in: 'body',
  pointer: pointerOf(['secrets', name]),
  code,
  message,
})

/**
 * Merges the secrets of a request into the stored ones (one that is left out is kept, `null` removes it) and
 * checks the result by the schemas of the provider. No message repeats a stored secret.
 *
 * A request that changes where secrets go must give all of them. Otherwise, whoever may change an integration could read
 * its secrets with a server of their own.
 */
export const mergeIntegration = (
  provider: IntegrationRules,
  stored: StoredIntegration | undefined,
  body: { readonly settings?: unknown; readonly secrets?: unknown },
): MergedIntegration => {
  const settings = isFields(body.settings) ? { ...body.settings } : {}
  const settingsFaults = isFields(body.settings) ? partFaults('settings', provider.settings, settings) : []

  const given: Fields = isFields(body.secrets) ? body.secrets : {}
  const isKnown = (name: string) => Object.hasOwn(provider.secrets.shape, name)
  const before = stored?.names ?? []
  // One that the provider no longer takes is dropped at the next write.
  const keptNames = before.filter((name) => isKnown(name) && !Object.hasOwn(given, name))
  const moved = stored !== undefined && isMoved(provider, stored, settings, given)
  const kept = stored && !moved && keptNames.length > 0 ? stored.open(keptNames) : {}
  const secrets = { ...kept, ...Object.fromEntries(Object.entries(given).filter(([, value]) => value !== null)) }

  const unknownRemovals = Object.keys(given).filter((name) => given[name] === null && !isKnown(name) && !before.includes(name))
  const unreadable = kept ? [] : keptNames
  const own = [
    ...unknownRemovals.map((name) => aboutSecret(name, 'unknown_field', 'Is not a field of this resource.')),
    ...(moved ? keptNames : []).map((name) =>
      aboutSecret(name, 'required', 'This secret was set for a different server; provide it again.'),
    ),
    ...unreadable.map((name) =>
      aboutSecret(name, 'required', 'Is stored, but can no longer be opened. Give it anew, or remove it with `null`.'),
    ),
  ]
  const told = new Set(own.map(({ pointer }) => pointer))
  const keptPointers = keptNames.map((name) => pointerOf(['secrets', name]))
  const isKept = (pointer: string) => keptPointers.some((each) => pointer === each || pointer.startsWith(`${each}/`))
  const fromSchema = partFaults('secrets', provider.secrets, secrets)
    .filter(({ pointer }) => !told.has(pointer))
    .map((fault) =>
      isKept(fault.pointer) ? { ...fault, message: 'Is stored, but the provider does not take it any more. Give it anew.' } : fault,
    )
  return { settings, secrets, faults: [...settingsFaults, ...own, ...fromSchema] }
}

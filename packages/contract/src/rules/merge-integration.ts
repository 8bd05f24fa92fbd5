import type { FieldError } from '../problem.ts'
import { createFieldError, toJsonPointer, toNestedFieldErrors } from './field-errors.ts'
import { toCanonicalJson } from './idempotency.ts'

type Fields = Readonly<Record<string, unknown>>

/** The schema of a provider's settings or secrets: a strict zod object, reduced to the members that are used here. */
interface FieldsSchema {
  readonly shape: Readonly<Record<string, unknown>>
  safeParse(value: unknown): { readonly success: true; readonly data: unknown } | { readonly success: false; readonly error: unknown }
}

/** A provider's rules for its integrations. */
export interface IntegrationRules {
  readonly settings: FieldsSchema
  readonly secrets: FieldsSchema
  /** The fields that determine where the secrets are sent. @default every setting and every secret */
  readonly secretDestination?: { readonly settings?: readonly string[]; readonly secrets?: readonly string[] } | undefined
}

/** The currently stored integration. */
export interface StoredIntegration {
  readonly settings: unknown
  readonly secretNames: readonly string[]
  /** Decrypts the secrets that have these names. Returns `undefined` if they cannot be decrypted. `names` is never empty. */
  readonly decryptSecrets: (names: readonly string[]) => Fields | undefined
}

/** The integration that a PUT request would store, with its validation errors. */
export interface MergedIntegration {
  readonly settings: Record<string, unknown>
  /** All secrets after the request: the secrets in the request and the retained ones. */
  readonly secrets: Record<string, unknown>
  readonly errors: readonly FieldError[]
}

const isFields = (value: unknown): value is Fields => typeof value === 'object' && value !== null && !Array.isArray(value)

const findPartErrors = (part: 'settings' | 'secrets', schema: FieldsSchema, value: Fields): FieldError[] => {
  const result = schema.safeParse(value)
  return result.success ? [] : toNestedFieldErrors('body', part, result.error, value)
}

/** Adds the schema's defaults to valid settings. Returns an invalid object unchanged. Returns `{}` if `settings` is not an object. */
const addDefaults = (schema: FieldsSchema, settings: unknown): Fields => {
  const result = schema.safeParse(settings)
  const value = result.success ? result.data : settings
  return isFields(value) ? value : {}
}

/** Returns whether the request changes where secrets are sent. */
const changesDestination = (rules: IntegrationRules, stored: StoredIntegration, settings: Fields, given: Fields): boolean => {
  const { secretDestination } = rules
  const destinationSettings = secretDestination ? (secretDestination.settings ?? []) : Object.keys(rules.settings.shape)
  const destinationSecrets = secretDestination ? (secretDestination.secrets ?? []) : Object.keys(rules.secrets.shape)
  const before = addDefaults(rules.settings, stored.settings)
  const after = addDefaults(rules.settings, settings)
  return (
    destinationSettings.some((name) => toCanonicalJson(before[name]) !== toCanonicalJson(after[name])) ||
    // A secret in the request counts as a change, even if it equals the stored secret. Otherwise, the response would show
    // whether a guessed secret is correct.
    destinationSecrets.some((name) => given[name] !== undefined && given[name] !== null)
  )
}

const toSecretError = (name: string, code: FieldError['code'], message: string): FieldError =>
  createFieldError('body', ['secrets', name], code, message)

/**
 * Merges the secrets in a request with the stored ones and validates the result with the provider's schemas. An omitted
 * secret is retained; `null` removes it. No error message contains a stored secret.
 *
 * A request that changes where the secrets are sent must set or remove every stored secret. Otherwise, anyone who can
 * change an integration could send its stored secrets to another server.
 */
export const mergeIntegration = (
  provider: IntegrationRules,
  stored: StoredIntegration | undefined,
  body: { readonly settings?: unknown; readonly secrets?: unknown },
): MergedIntegration => {
  const settings = isFields(body.settings) ? { ...body.settings } : {}
  const settingsErrors = isFields(body.settings) ? findPartErrors('settings', provider.settings, settings) : []

  const given: Fields = isFields(body.secrets) ? body.secrets : {}
  const isKnown = (name: string) => Object.hasOwn(provider.secrets.shape, name)
  const storedNames = stored?.secretNames ?? []
  // A stored secret that the provider's schema no longer contains is dropped.
  const retainedNames = storedNames.filter((name) => isKnown(name) && !Object.hasOwn(given, name))
  const isDestinationChanged = stored !== undefined && changesDestination(provider, stored, settings, given)
  const retained = stored && !isDestinationChanged && retainedNames.length > 0 ? stored.decryptSecrets(retainedNames) : {}
  const secrets = { ...retained, ...Object.fromEntries(Object.entries(given).filter(([, value]) => value !== null)) }

  const unknownRemovals = Object.keys(given).filter((name) => given[name] === null && !isKnown(name) && !storedNames.includes(name))
  const unreadableNames = retained ? [] : retainedNames
  const secretErrors = [
    ...unknownRemovals.map((name) => toSecretError(name, 'unknown_field', 'This resource has no such field.')),
    ...(isDestinationChanged ? retainedNames : []).map((name) =>
      toSecretError(name, 'required', 'This secret was set for another server or account. Provide it again.'),
    ),
    ...unreadableNames.map((name) =>
      toSecretError(name, 'required', 'The stored secret cannot be decrypted. Provide it again, or remove it with `null`.'),
    ),
  ]
  const reportedPointers = new Set(secretErrors.map(({ pointer }) => pointer))
  const retainedPointers = retainedNames.map((name) => toJsonPointer(['secrets', name]))
  const isRetained = (pointer: string) =>
    retainedPointers.some((retainedPointer) => pointer === retainedPointer || pointer.startsWith(`${retainedPointer}/`))
  const schemaErrors = findPartErrors('secrets', provider.secrets, secrets)
    .filter(({ pointer }) => !reportedPointers.has(pointer))
    .map((error) =>
      isRetained(error.pointer) ? { ...error, message: 'The provider no longer accepts the stored secret. Provide it again.' } : error,
    )
  return { settings, secrets, errors: [...settingsErrors, ...secretErrors, ...schemaErrors] }
}

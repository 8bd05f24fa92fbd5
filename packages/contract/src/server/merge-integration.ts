import type { FieldError } from '../problem.ts'
import { fieldErrorsWithin, pointerOf } from './field-errors.ts'

type Fields = Readonly<Record<string, unknown>>

/** The schema of a provider's settings or secrets: a zod strict object, as far as it is used. */
interface FieldsSchema {
  readonly shape: Readonly<Record<string, unknown>>
  safeParse(value: unknown): { readonly success: true } | { readonly success: false; readonly error: unknown }
}

/** The secrets that are stored already. */
export interface StoredSecrets {
  readonly names: readonly string[]
  /** Opens those with these names; `undefined` when they cannot be opened. Not asked when there are none to keep. */
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

const aboutSecret = (name: string, code: FieldError['code'], message: string): FieldError => ({
  in: 'body',
  pointer: pointerOf(['secrets', name]),
  code,
  message,
})

/**
 * Merges the secrets of a request into the stored ones (one that is left out is kept, `null` removes it) and
 * checks the result by the schemas of the provider. No message repeats a stored secret.
 */
export const mergeIntegration = (
  provider: { readonly settings: FieldsSchema; readonly secrets: FieldsSchema },
  stored: StoredSecrets | undefined,
  body: { readonly settings?: unknown; readonly secrets?: unknown },
): MergedIntegration => {
  const settings = isFields(body.settings) ? { ...body.settings } : {}
  const settingsFaults = isFields(body.settings) ? partFaults('settings', provider.settings, settings) : []

  const given: Fields = isFields(body.secrets) ? body.secrets : {}
  const isKnown = (name: string) => Object.hasOwn(provider.secrets.shape, name)
  const before = stored?.names ?? []
  // One that the provider no longer takes is dropped at the next write.
  const keptNames = before.filter((name) => isKnown(name) && !Object.hasOwn(given, name))
  const kept = stored && keptNames.length > 0 ? stored.open(keptNames) : {}
  const secrets = { ...kept, ...Object.fromEntries(Object.entries(given).filter(([, value]) => value !== null)) }

  const unknownRemovals = Object.keys(given).filter((name) => given[name] === null && !isKnown(name) && !before.includes(name))
  const unreadable = kept ? [] : keptNames
  const own = [
    ...unknownRemovals.map((name) => aboutSecret(name, 'unknown_field', 'Is not a field of this resource.')),
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

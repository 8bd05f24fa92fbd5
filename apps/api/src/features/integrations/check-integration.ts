import type { FieldError } from '@flowpost/contract'
import type { Provider } from '@flowpost/delivery'
import { fieldErrors } from '../../http/field-errors.ts'
import { type SecretBox, SecretUnreadableError } from '../../shared/secret-box.ts'
import type { SealedIntegrationRow } from './integration-queries.ts'
import { openSecrets, type Secrets } from './sealed-secrets.ts'

type Fields = Readonly<Record<string, unknown>>

/** What a PUT would store, and what is wrong with it. */
export interface CheckedIntegration {
  readonly settings: Record<string, unknown>
  /** All secrets after the request: those that it gives, and those that it keeps. */
  readonly secrets: Secrets
  readonly faults: readonly FieldError[]
}

const isFields = (value: unknown): value is Fields => typeof value === 'object' && value !== null && !Array.isArray(value)

const partFaults = (part: 'settings' | 'secrets', schema: Provider['settings'], value: Fields): FieldError[] => {
  const result = schema.safeParse(value)
  if (result.success) return []
  return fieldErrors('body', { issues: result.error.issues.map((issue) => ({ ...issue, path: [part, ...issue.path] })) }, { [part]: value })
}

const aboutSecret = (name: string, code: FieldError['code'], message: string): FieldError => ({
  in: 'body',
  pointer: `/secrets/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`,
  code,
  message,
})

/** The stored secrets that the request leaves as they are; `undefined` when they cannot be opened. */
const keptSecrets = (box: SecretBox, stored: SealedIntegrationRow | undefined, kept: readonly string[]): Secrets | undefined => {
  if (!stored || kept.length === 0) return {}
  try {
    const all = openSecrets(box, stored)
    return Object.fromEntries(kept.map((name) => [name, all[name]]))
  } catch (error) {
    if (error instanceof SecretUnreadableError) return undefined
    throw error
  }
}

/**
 * Merges the secrets of a request into the stored ones (one that is left out is kept, `null` removes it) and
 * checks the result by the schemas of the provider. No message repeats a stored secret.
 */
export const checkIntegration = (
  box: SecretBox,
  provider: Provider,
  stored: SealedIntegrationRow | undefined,
  body: { readonly settings?: unknown; readonly secrets?: unknown },
): CheckedIntegration => {
  const settings = isFields(body.settings) ? { ...body.settings } : {}
  const settingsFaults = isFields(body.settings) ? partFaults('settings', provider.settings, settings) : []

  const given: Fields = isFields(body.secrets) ? body.secrets : {}
  const known = new Set(Object.keys(provider.secrets.shape))
  const before = stored?.secret_names ?? []
  // One that the provider no longer takes is dropped at the next write.
  const keptNames = before.filter((name) => known.has(name) && !Object.hasOwn(given, name))
  const kept = keptSecrets(box, stored, keptNames)
  const secrets = { ...kept, ...Object.fromEntries(Object.entries(given).filter(([, value]) => value !== null)) }

  const unknownRemovals = Object.keys(given).filter((name) => given[name] === null && !known.has(name) && !before.includes(name))
  const unreadable = kept ? [] : keptNames
  const own = [
    ...unknownRemovals.map((name) => aboutSecret(name, 'unknown_field', 'Is not a field of this resource.')),
    ...unreadable.map((name) =>
      aboutSecret(name, 'required', 'Is stored, but can no longer be opened. Give it anew, or remove it with `null`.'),
    ),
  ]
  const told = new Set(own.map(({ pointer }) => pointer))
  const keptPointers = new Set(keptNames.map((name) => aboutSecret(name, 'invalid_value', '').pointer))
  const fromSchema = partFaults('secrets', provider.secrets, secrets)
    .filter(({ pointer }) => !told.has(pointer))
    .map((fault) =>
      [...keptPointers].some((pointer) => fault.pointer === pointer || fault.pointer.startsWith(`${pointer}/`))
        ? { ...fault, message: 'Is stored, but the provider does not take it any more. Give it anew.' }
        : fault,
    )
  return { settings, secrets, faults: [...settingsFaults, ...own, ...fromSchema] }
}

import { toCanonicalJson } from './idempotency.ts'

/** A planned change, in the form that the API returns. */
export interface PlannedChange {
  readonly action: 'create' | 'update' | 'delete' | 'none'
  readonly kind: 'project' | 'flow' | 'integration' | 'event_endpoint'
  readonly key: string
  readonly id: string | null
  readonly pointer?: string
  readonly before?: unknown
  readonly after?: unknown
  readonly pending_deliveries?: number
}

/** A stored resource in a collection. */
export interface CurrentItem<C> {
  readonly key: string
  readonly id: string | null
  /** The resource's fields, keyed by JSON Pointer. */
  readonly fields: Readonly<Record<string, unknown>>
  /** The resource as it appears in a document. */
  readonly resource: unknown
  readonly stored: C
}

/** A resource in the document. */
export interface DesiredItem<D> {
  readonly key: string
  readonly fields: Readonly<Record<string, unknown>>
  readonly resource: unknown
  /** JSON Pointers to changed fields whose values must not be shown. @default none */
  readonly secretFields?: readonly string[]
  readonly given: D
}

/** The planned changes to a collection of resources. */
export interface CollectionPlan<D, C> {
  readonly creates: readonly D[]
  readonly updates: readonly { readonly given: D; readonly stored: C }[]
  readonly deletes: readonly C[]
  readonly changes: readonly PlannedChange[]
  /** The keys of stored resources that the plan leaves unchanged because the document does not contain them. */
  readonly unlisted: readonly string[]
}

/** The kind of a collection's resources, and the document field that contains them. */
export interface Collection {
  readonly kind: PlannedChange['kind']
  /** A JSON Pointer to the field, such as `/flows`. */
  readonly pointer: string
}

/** Returns whether two JSON values are equal, regardless of key order. `undefined` equals `null`. */
export const isEqual = (a: unknown, b: unknown): boolean => toCanonicalJson(a ?? null) === toCanonicalJson(b ?? null)

/**
 * Compares a resource's current fields with its new fields. Returns one change for each field that differs, and one for
 * each changed secret, which `secretFields` lists. If there are no changes, returns a single entry with the action `none`.
 */
export const planFields = <C>(
  of: Pick<PlannedChange, 'kind' | 'key' | 'id'>,
  pointer: string,
  current: Pick<CurrentItem<C>, 'fields'>,
  desired: Pick<DesiredItem<unknown>, 'fields' | 'secretFields'>,
): readonly PlannedChange[] => {
  const names = [...new Set([...Object.keys(desired.fields), ...Object.keys(current.fields)])]
  const visible = names
    .filter((name) => !isEqual(current.fields[name], desired.fields[name]))
    .map((name) => ({
      action: 'update' as const,
      ...of,
      pointer: `${pointer}${name}`,
      ...(current.fields[name] === undefined ? {} : { before: current.fields[name] }),
      ...(desired.fields[name] === undefined ? {} : { after: desired.fields[name] }),
    }))
  const secret = (desired.secretFields ?? []).map((name) => ({ action: 'update' as const, ...of, pointer: `${pointer}${name}` }))
  const changes = [...visible, ...secret]
  return changes.length > 0 ? changes : [{ action: 'none', ...of, pointer }]
}

/** Compares a collection in a document with the stored one. Keys must be unique within each collection. */
export const planCollection = <D, C>(
  { kind, pointer }: Collection,
  desired: readonly DesiredItem<D>[],
  current: readonly CurrentItem<C>[],
  prune: boolean,
): CollectionPlan<D, C> => {
  const currentByKey = new Map(current.map((item) => [item.key, item]))
  const desiredKeys = new Set(desired.map(({ key }) => key))
  const missing = current.filter(({ key }) => !desiredKeys.has(key))
  const creates: D[] = []
  const updates: { given: D; stored: C }[] = []
  const changes: PlannedChange[] = []
  for (const [index, item] of desired.entries()) {
    const stored = currentByKey.get(item.key)
    const at = `${pointer}/${index}`
    if (!stored) {
      creates.push(item.given)
      changes.push({ action: 'create', kind, key: item.key, id: null, pointer: at, after: item.resource })
      continue
    }
    const fieldChanges = planFields({ kind, key: item.key, id: stored.id }, at, stored, item)
    if (fieldChanges[0]?.action === 'update') updates.push({ given: item.given, stored: stored.stored })
    changes.push(...fieldChanges)
  }
  if (prune) for (const { key, id, resource } of missing) changes.push({ action: 'delete', kind, key, id, before: resource })
  return {
    creates,
    updates,
    deletes: prune ? missing.map(({ stored }) => stored) : [],
    changes,
    unlisted: prune ? [] : missing.map(({ key }) => key),
  }
}

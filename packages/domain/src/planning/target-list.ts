/** The maximum number of entries of an override. */
export const maxTargetEntries = 100

/** One entry of an override. */
export interface TargetEntry {
  /** The position in the list, starting at 1. */
  readonly number: number
  /** The provider that the entry names. Without one, the entry matches every provider that accepts the address. */
  readonly sourceType?: string
  readonly address: string
}

/** An issue of the `target` of a request. */
export interface TargetIssue {
  readonly pointer: '/target'
  readonly code: 'invalid_target' | 'too_long' | 'override_not_allowed' | 'target_unroutable'
  /** An explanation of the issue with the number of the entry, and the expected value. */
  readonly message: string
}

/** The valid entries, and an issue for each malformed one. */
export interface TargetList {
  readonly entries: readonly TargetEntry[]
  readonly errors: readonly TargetIssue[]
}

/**
 * Parses the override of a request:
 *
 *     list  = entry *( ";" entry )            ; at most 100
 *     entry = [ source-type ":" ] address     ; surrounding white space is ignored
 *
 * The text before the first `:` is a source type only if a provider of this name is registered; otherwise the whole entry is
 * the address. Empty entries are invalid, so a list must not end with `;`. Does not validate addresses.
 *
 * @param isSourceType Whether a provider of this name is registered.
 */
export const parseTargetList = (value: string, isSourceType: (id: string) => boolean): TargetList => {
  const parts = value.split(';')
  if (parts.length > maxTargetEntries) {
    const message = `The target has ${parts.length} entries; at most ${maxTargetEntries} are allowed.`
    return { entries: [], errors: [{ pointer: '/target', code: 'too_long', message }] }
  }

  const entries: TargetEntry[] = []
  const errors: TargetIssue[] = []
  const addError = (message: string) => errors.push({ pointer: '/target', code: 'invalid_target', message })
  for (const [index, part] of parts.entries()) {
    const number = index + 1
    const text = part.trim()
    const colon = text.indexOf(':')
    const head = colon < 0 ? '' : text.slice(0, colon)
    if (text === '') addError(`Entry ${number} of the target is empty. Separate entries by ";", without a trailing one.`)
    else if (head === '' || !isSourceType(head)) entries.push({ number, address: text })
    else if (colon === text.length - 1) addError(`Entry ${number} of the target names "${head}" but has no address.`)
    else entries.push({ number, sourceType: head, address: text.slice(colon + 1) })
  }
  return { entries, errors }
}

/** The maximum number of entries in a target override. */
export const maxTargetEntries = 100

/** One entry of a target override, which is a list such as `smtp:ops@example.com;slack:C024BE91L`. */
export interface TargetEntry {
  /** The position of the entry in the list, starting at 1. */
  readonly number: number
  /** The provider that the entry names. An entry without a provider matches every provider that accepts the address. */
  readonly sourceType?: string
  readonly address: string
}

/** An issue with a request's `target`, or with the default target of a flow. */
export interface TargetIssue {
  readonly pointer: '/target'
  readonly code: 'invalid_target' | 'too_long' | 'override_not_allowed' | 'target_unroutable'
  /** Explains the issue. If a single entry is the cause, contains the entry's number. */
  readonly message: string
}

/**
 * The well-formed entries of a target override, and an issue for each malformed one. If there are too many entries, the
 * result has one issue and no entries.
 */
export interface TargetList {
  readonly entries: readonly TargetEntry[]
  readonly errors: readonly TargetIssue[]
}

/**
 * Parses a target override, which has this syntax:
 *
 *     list  = entry *( ";" entry )            ; at most 100
 *     entry = [ source-type ":" ] address     ; surrounding white space is ignored
 *
 * The text before the first `:` is a source type only if a provider with that id is registered. Otherwise, the whole
 * entry is the address. Empty entries are invalid, so a list must not end with `;`. Does not validate addresses.
 *
 * @param isSourceType Returns whether a provider with this id is registered.
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
    if (text === '') addError(`Entry ${number} of the target is empty. Separate entries with ";", and do not end the target with ";".`)
    else if (head === '' || !isSourceType(head)) entries.push({ number, address: text })
    else if (colon === text.length - 1) addError(`Entry ${number} of the target has no address after "${head}:".`)
    else entries.push({ number, sourceType: head, address: text.slice(colon + 1) })
  }
  return { entries, errors }
}

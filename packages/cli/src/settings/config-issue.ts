/** An invalid value in a config file. */
export interface ConfigIssue {
  /** A JSON Pointer (RFC 6901) to the value. */
  readonly pointer: string
  readonly message: string
}

/** Collects the issues of a value and its nested values. */
export interface Checker {
  readonly value: unknown
  /** Reports an issue with the value. */
  report(message: string): void
  /** Returns a checker for a field of an object, or an item of a list. */
  field(name: string): Checker
  /** Returns a checker for another value, such as a normalized one, that reports its issues at the same place. */
  withValue(other: unknown): Checker
  /** Returns the field names. If the value is not a plain object, reports that and returns `undefined`. */
  names(): string[] | undefined
  /** Reports every field that is not in `names`. */
  allow(...names: readonly string[]): void
}

/** Returns whether a value is a plain object. The object may be from another realm, because a config file may be evaluated there. */
const isObject = (value: unknown): value is Record<string, unknown> => {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === null || Object.getPrototypeOf(prototype) === null
}

/** Creates a checker for a value. */
export const createChecker = (value: unknown, issues: ConfigIssue[], pointer = ''): Checker => {
  const field = (name: string): Checker => {
    const child = (isObject(value) || Array.isArray(value)) && Object.hasOwn(value, name) ? Object(value)[name] : undefined
    return createChecker(child, issues, `${pointer}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`)
  }
  const report = (message: string) => void issues.push({ pointer, message })
  return {
    value,
    report,
    field,
    withValue: (other) => createChecker(other, issues, pointer),
    names: () => {
      if (isObject(value)) return Object.keys(value)
      report('must be a plain object.')
      return undefined
    },
    allow: (...names) => {
      for (const name of isObject(value) ? Object.keys(value) : [])
        if (!names.includes(name)) field(name).report(`is not a valid field. Valid fields: ${names.join(', ')}.`)
    },
  }
}

/** Reports a value that is not a string of 1 to `max` code points. Returns the value if it is a string. */
export const checkText = (checker: Checker, max: number): string | undefined => {
  const { value, report } = checker
  if (typeof value !== 'string') {
    report(value === undefined ? 'is required.' : 'must be a string.')
    return undefined
  }
  const { length } = [...value]
  if (length === 0) report('must not be empty.')
  if (length > max) report(`has ${length} characters; at most ${max} are permitted.`)
  return value
}

/** Reports a value that is neither `undefined` nor a boolean. */
export const checkBoolean = ({ value, report }: Checker): void => {
  if (value !== undefined && typeof value !== 'boolean') report('must be true or false.')
}

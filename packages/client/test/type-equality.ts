/** Compiles only for `true`. */
export type Expect<T extends true> = T

/** `true` for identical types. Assignable types are not enough. */
export type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false

/** Expands all nested object types, so that interfaces equal the types that zod infers. */
export type Expand<T> = T extends string
  ? T // Strings are checked first, because `string & {}` is assignable to `object`.
  : T extends readonly (infer Item)[]
    ? Expand<Item>[]
    : T extends object
      ? { [Key in keyof T]: Expand<T[Key]> }
      : T

/**
 * Expands a type as {@link Expand} does, and opens its string enums: `'a' | 'b'` becomes `'a' | 'b' | (string & {})`.
 */
export type Opened<T> = OpenedStrings<Extract<T, string>> | OpenedOther<Exclude<T, string>>

type OpenedOther<T> = T extends readonly (infer Item)[] ? Opened<Item>[] : T extends object ? { [Key in keyof T]: Opened<T[Key]> } : T

// A single literal stays closed, because it discriminates the members of a union.
type OpenedStrings<T extends string> = [T] extends [never] ? never : string extends T ? T : IsUnion<T> extends true ? T | (string & {}) : T

type IsUnion<T, Whole = T> = T extends Whole ? ([Whole] extends [T] ? false : true) : never

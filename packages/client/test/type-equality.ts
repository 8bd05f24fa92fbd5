/** Compiles only for `true`. */
export type Expect<T extends true> = T

/** Whether two types are identical, not merely assignable to each other. */
export type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false

/** A type with the properties of every object in it written out, so that interfaces compare with what zod infers. */
export type Expand<T> = T extends string
  ? T // First, because `string & {}` is assignable to `object`.
  : T extends readonly (infer Item)[]
    ? Expand<Item>[]
    : T extends object
      ? { [Key in keyof T]: Expand<T[Key]> }
      : T

/** As {@link Expand}, with every enumeration of strings opened: `'a' | 'b'` becomes `'a' | 'b' | (string & {})`. */
export type Opened<T> = OpenedStrings<Extract<T, string>> | OpenedOther<Exclude<T, string>>

type OpenedOther<T> = T extends readonly (infer Item)[] ? Opened<Item>[] : T extends object ? { [Key in keyof T]: Opened<T[Key]> } : T

// A single literal tells the members of a union apart, so it stays as it is.
type OpenedStrings<T extends string> = [T] extends [never] ? never : string extends T ? T : IsUnion<T> extends true ? T | (string & {}) : T

type IsUnion<T, Whole = T> = T extends Whole ? ([Whole] extends [T] ? false : true) : never

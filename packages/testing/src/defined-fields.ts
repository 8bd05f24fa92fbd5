/** The fields of a type, all optional. A field that is `undefined` counts as omitted. */
export type OptionalFields<Type> = { readonly [Name in keyof Type]?: Type[Name] | undefined }

/** Returns a copy of an object without the fields that are `undefined`, so that they do not replace defaults. */
export const definedFields = <Type extends object>(fields?: OptionalFields<Type> | null): Partial<Type> =>
  Object.fromEntries(Object.entries(fields ?? {}).filter(([, value]) => value !== undefined)) as Partial<Type>

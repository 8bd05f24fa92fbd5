import type { z } from 'zod'
import { docComment } from './doc.ts'
import type { Model } from './model.ts'
import { anonymousType, members, metaOf } from './schema.ts'

/** Generates the file with the named types: an interface for each object, and an alias for any other type. */
export const emitTypes = ({ types }: Model): string =>
  types
    .all()
    .map(({ name, schema, direction }) => {
      const comment = docComment(metaOf(schema).description ?? defaultDescription(name))
      return schema._zod.def.type === 'object'
        ? `${comment}export interface ${name} {\n${members(schema as z.core.$ZodObject, direction, types.nameOf, name)}\n}`
        : `${comment}export type ${name} = ${anonymousType(schema, direction, types.nameOf, name)}`
    })
    .join('\n\n')

const defaultDescription = (name: string): string | undefined => (name.endsWith('Params') ? "The operation's query parameters." : undefined)

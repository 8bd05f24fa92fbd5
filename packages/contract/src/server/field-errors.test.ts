import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { FlowCreate } from '../flows.ts'
import { NotificationSend } from '../notifications.ts'
import { ProjectCreate } from '../projects.ts'
import { fieldErrors, fieldErrorsWithin, firstOfEach, pointerOf } from './field-errors.ts'

const faults = (schema: z.ZodType, input: unknown) =>
  fieldErrors('body', schema.safeParse(input).error, input).map(({ pointer, code }) => `${pointer} ${code}`)

describe('a pointer', () => {
  it('escapes what JSON Pointer escapes', () => {
    expect(pointerOf(['a/b', 'c~d', 0, ''])).toBe('/a~1b/c~0d/0/')
    expect(pointerOf([])).toBe('')
  })
})

describe('the faults of an input', () => {
  it('are all told, each once, with its place and its code', () => {
    expect(faults(FlowCreate, { name: '', active: 'yes', message_template_type: 'x', more: 1, 'a/b': 2 }).sort()).toEqual([
      '/active invalid_type',
      '/a~1b unknown_field',
      '/message_template_type invalid_value',
      '/more unknown_field',
      '/name too_short',
      '/source_type required',
      '/target required',
    ])
  })

  it('tell a missing field from one of the wrong type', () => {
    expect(faults(ProjectCreate, {})).toEqual(['/name required'])
    expect(faults(ProjectCreate, { name: undefined })).toEqual(['/name required'])
    expect(faults(ProjectCreate, { name: null })).toEqual(['/name invalid_type'])
    expect(faults(ProjectCreate, [])).toEqual([' invalid_type'])
    expect(faults(ProjectCreate, undefined)).toEqual([' required'])
    // What everything inherits is not a field that was given.
    expect(faults(z.strictObject({ toString: z.string() }), {})).toEqual(['/toString required'])
  })

  it('keep the code that a rule of texts gives', () => {
    expect(faults(NotificationSend, { project_id: 'x', subject: 'a\nb', message: '\u0000' })).toEqual([
      '/subject invalid_text',
      '/message invalid_text',
    ])
  })

  it('know numbers and lists that are too small or too big', () => {
    const schema = z.strictObject({ count: z.int().min(1).max(5), list: z.array(z.string()).min(1).max(2) })
    expect(faults(schema, { count: 0, list: [] })).toEqual(['/count too_small', '/list too_short'])
    expect(faults(schema, { count: 6, list: ['a', 'b', 'c'] })).toEqual(['/count too_big', '/list too_long'])
    expect(faults(schema, { count: 1.5, list: [1] })).toEqual(['/count invalid_type', '/list/0 invalid_type'])
  })

  it('say what would be right, and nothing of the library that found them', () => {
    const messages = fieldErrors(
      'query',
      z.strictObject({ kind: z.enum(['a', 'b']), limit: z.string() }).safeParse({ kind: 'c', x: 1 }).error,
      {
        kind: 'c',
        x: 1,
      },
    ).map(({ message }) => message)
    expect(messages).toEqual(expect.arrayContaining(['Must be one of "a", "b".', 'Is required.', 'Is not a parameter of this operation.']))
  })

  it('are none for what is no validation error', () => {
    for (const error of [undefined, null, new Error('x'), {}]) expect(fieldErrors('body', error, {})).toEqual([])
  })
})

describe('the faults of a part of an input', () => {
  it('say where the part stands', () => {
    const schema = z.strictObject({ token: z.string() })
    expect(fieldErrorsWithin('body', 'secrets', schema.safeParse({ more: 1 }).error, { more: 1 })).toMatchObject([
      { in: 'body', pointer: '/secrets/token', code: 'required' },
      { in: 'body', pointer: '/secrets/more', code: 'unknown_field' },
    ])
    expect(fieldErrorsWithin('header', 'if-match', z.string().safeParse(1).error, 1)).toMatchObject([
      { in: 'header', pointer: '/if-match', code: 'invalid_type' },
    ])
  })
})

describe('faults from several checks', () => {
  it('are told once for each field of each part, the first one', () => {
    const fault = (part: 'body' | 'query', pointer: string, message: string) =>
      ({ in: part, pointer, code: 'invalid_value', message }) as const
    const [first, second, other] = [fault('body', '/a', '1'), fault('body', '/a', '2'), fault('query', '/a', '3')]
    expect(firstOfEach([first, second, other])).toEqual([first, other])
  })
})

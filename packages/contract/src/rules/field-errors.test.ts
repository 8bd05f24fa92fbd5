import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { FlowCreate } from '../flows.ts'
import { NotificationSend } from '../notification-send.ts'
import { ProjectCreate } from '../projects.ts'
import { addFieldErrors, findTextErrors, firstErrorPerField, toFieldErrors, toJsonPointer, toNestedFieldErrors } from './field-errors.ts'

const listErrors = (schema: z.ZodType, input: unknown) =>
  toFieldErrors('body', schema.safeParse(input).error, input).map(({ pointer, code }) => `${pointer} ${code}`)

describe('toJsonPointer', () => {
  it('escapes `~` and `/`', () => {
    expect(toJsonPointer(['a/b', 'c~d', 0, ''])).toBe('/a~1b/c~0d/0/')
    expect(toJsonPointer([])).toBe('')
  })
})

describe('toFieldErrors', () => {
  it('returns every error once, with its pointer and code', () => {
    expect(listErrors(FlowCreate, { name: '', active: 'yes', message_template_type: 'x', more: 1, 'a/b': 2 }).sort()).toEqual([
      '/active invalid_type',
      '/a~1b unknown_field',
      '/message_template_type invalid_value',
      '/more unknown_field',
      '/name too_short',
      '/source_type required',
      '/target required',
    ])
  })

  it('distinguishes a missing field from one of the wrong type', () => {
    expect(listErrors(ProjectCreate, {})).toEqual(['/name required'])
    expect(listErrors(ProjectCreate, { name: undefined })).toEqual(['/name required'])
    expect(listErrors(ProjectCreate, { name: null })).toEqual(['/name invalid_type'])
    expect(listErrors(ProjectCreate, [])).toEqual([' invalid_type'])
    expect(listErrors(ProjectCreate, undefined)).toEqual([' required'])
    // `{}` inherits `toString`, but an inherited property does not count as given.
    expect(listErrors(z.strictObject({ toString: z.string() }), {})).toEqual(['/toString required'])
  })

  it('keeps the codes of text rules', () => {
    expect(listErrors(NotificationSend, { project_id: 'x', subject: 'a\nb', message: '\u0000' })).toEqual([
      '/subject invalid_text',
      '/message invalid_text',
    ])
  })

  it('has codes for numbers and lists that are too small or too big', () => {
    const schema = z.strictObject({ count: z.int().min(1).max(5), list: z.array(z.string()).min(1).max(2) })
    expect(listErrors(schema, { count: 0, list: [] })).toEqual(['/count too_small', '/list too_short'])
    expect(listErrors(schema, { count: 6, list: ['a', 'b', 'c'] })).toEqual(['/count too_big', '/list too_long'])
    expect(listErrors(schema, { count: 1.5, list: [1] })).toEqual(['/count invalid_type', '/list/0 invalid_type'])
  })

  it('has messages that do not depend on zod', () => {
    const messages = toFieldErrors(
      'query',
      z.strictObject({ kind: z.enum(['a', 'b']), limit: z.string() }).safeParse({ kind: 'c', x: 1 }).error,
      {
        kind: 'c',
        x: 1,
      },
    ).map(({ message }) => message)
    expect(messages).toEqual(expect.arrayContaining(['Must be one of "a", "b".', 'Is required.', 'This operation has no such parameter.']))
  })

  it('limits the length of pointers and messages', () => {
    const long = 'k'.repeat(500_000)
    const schema = z.strictObject({
      labels: z.record(z.string(), z.strictObject({ text: z.string().max(1, { error: ({ input }) => `${input} is too long.` }) })),
    })
    const errorsOf = (input: unknown) => toFieldErrors('body', schema.safeParse(input).error, input)
    expect(errorsOf({ labels: {}, ['k'.repeat(255)]: 1 })).toMatchObject([
      { pointer: `/${'k'.repeat(255)}`, message: 'This resource has no such field.' },
    ])
    expect(errorsOf({ labels: {}, [long]: 1 })).toEqual([
      {
        in: 'body',
        pointer: '',
        code: 'unknown_field',
        message: 'In a field whose path is too long to list: This resource has no such field.',
      },
    ])
    expect(errorsOf({ labels: { [long]: {} } })).toMatchObject([{ pointer: '/labels', code: 'required' }])
    const quoted = errorsOf({ labels: { a: { text: long } } })
    expect(quoted).toMatchObject([{ pointer: '/labels/a/text', code: 'too_long' }])
    expect(quoted[0]?.message).toHaveLength(1_000)
    const quotedAstral = errorsOf({ labels: { a: { text: `a${'\u{1f600}'.repeat(1_000)}` } } })
    expect(quotedAstral[0]?.message).toBe(`a${'\u{1f600}'.repeat(499)}`)
    // Each `~` is escaped as `~0`, so the pointer to this field would have 257 characters.
    expect(errorsOf({ labels: {}, ['~'.repeat(128)]: 1 })).toMatchObject([{ pointer: '' }])
  })

  it('returns no errors for other exceptions', () => {
    for (const error of [undefined, null, new Error('x'), {}]) expect(toFieldErrors('body', error, {})).toEqual([])
  })
})

describe('toNestedFieldErrors', () => {
  it('returns pointers that start with the name', () => {
    const schema = z.strictObject({ token: z.string() })
    expect(toNestedFieldErrors('body', 'secrets', schema.safeParse({ more: 1 }).error, { more: 1 })).toMatchObject([
      { in: 'body', pointer: '/secrets/token', code: 'required' },
      { in: 'body', pointer: '/secrets/more', code: 'unknown_field' },
    ])
    expect(toNestedFieldErrors('header', 'if-match', z.string().safeParse(1).error, 1)).toMatchObject([
      { in: 'header', pointer: '/if-match', code: 'invalid_type' },
    ])
  })
})

const createError = (part: 'body' | 'query', pointer: string, message: string) =>
  ({ in: part, pointer, code: 'invalid_value', message }) as const

describe('firstErrorPerField', () => {
  it('returns the first error for each field in each part', () => {
    const [first, second, other] = [createError('body', '/a', '1'), createError('body', '/a', '2'), createError('query', '/a', '3')]
    expect(firstErrorPerField([first, second, other])).toEqual([first, other])
  })
})

describe('addFieldErrors', () => {
  it('adds every error of the fields that have none yet', () => {
    const [first, second] = [createError('body', '/a', '1'), createError('body', '/a', '2')]
    const more = [
      createError('body', '/a', '3'),
      createError('query', '/a', '4'),
      createError('body', '/b', '5'),
      createError('body', '/b', '6'),
    ]
    expect(addFieldErrors([first, second], more)).toEqual([first, second, ...more.slice(1)])
    expect(addFieldErrors([], more)).toEqual(more)
  })
})

describe('findTextErrors', () => {
  it('finds U+0000 and lone surrogates at any depth, including in field names', () => {
    const errors = findTextErrors({ a: 'x\u0000', list: ['fine', { deep: '\ud800' }], 'b\u0000': 1, emoji: '😀', n: 1, none: null })
    expect(errors.map(({ pointer, code }) => `${pointer} ${code}`)).toEqual([
      '/a invalid_text',
      '/list/1/deep invalid_text',
      '/b\u0000 invalid_text',
    ])
    expect(findTextErrors('a\u0000')).toMatchObject([{ pointer: '' }])
    expect(findTextErrors(undefined)).toEqual([])
  })

  it.each([300, 20_000, 500_000])('returns one error for 50,000 texts in a field whose name has %i characters', (length) => {
    const body = { a: { ['k'.repeat(length)]: Array(50_000).fill('\u0000') }, b: '\u0000' }
    expect(findTextErrors(body)).toEqual([
      { in: 'body', pointer: '/a', code: 'invalid_text', message: 'In a field whose path is too long to list: Must not contain U+0000.' },
      { in: 'body', pointer: '/b', code: 'invalid_text', message: 'Must not contain U+0000.' },
    ])
  })

  it('returns one error for an invalid name and an invalid value in a field whose name is too long', () => {
    expect(findTextErrors({ a: { ['k'.repeat(300)]: { 'l\u0000': '\u0000' } } })).toMatchObject([{ pointer: '/a' }])
  })

  it('returns at most 1,001 errors, with short pointers', () => {
    const texts = Array(50_000).fill('\u0000')
    const nested = ['k', 'l', 'm', 'n'].reduceRight<unknown>((inner, key) => ({ [key.repeat(60)]: inner }), texts)
    for (const body of [
      texts,
      { ['k'.repeat(200)]: texts },
      nested,
      Object.fromEntries(texts.slice(0, 2_000).map((text, index) => [`${'k'.repeat(300)}${index}`, text])),
      // Each entry has two invalid texts: its name and its value.
      Object.fromEntries(texts.slice(0, 2_000).map((text, index) => [`\u0000${index}`, text])),
    ]) {
      const errors = findTextErrors(body)
      expect(errors).toHaveLength(1_001)
      expect(Math.max(...errors.map(({ pointer }) => pointer.length))).toBeLessThanOrEqual(256)
    }
  })
})

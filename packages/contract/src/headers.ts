import { z } from 'zod'

// Entity tags are compared as opaque quoted strings; `*` and lists are allowed (RFC 9110, 13.1).
const entityTags = z
  .string()
  .regex(
    /^\s*(\*|(W\/)?"[\x21\x23-\x7e]*"(\s*,\s*(W\/)?"[\x21\x23-\x7e]*")*)\s*$/,
    'Must be `*` or a list of quoted entity tags, as in `"a1b2"`.',
  )
  .optional()

/** Headers of a read that can answer 304. */
export const conditionalRead = {
  'if-none-match': entityTags.meta({ description: 'Answer 304 without a body when the `ETag` is still one of these.' }),
}

/** Headers of a write that can answer 412. */
export const conditionalWrite = {
  'if-match': entityTags.meta({ description: 'Only write when the `ETag` of the resource is still one of these; else 412.' }),
}

const idempotencyKey = (description: string) =>
  z
    .string()
    .regex(/^[\x21-\x7e]{1,255}$/, 'Must be 1 to 255 visible ASCII characters.')
    .optional()
    .meta({ description })

/** What a POST that creates or acts declares for `Idempotency-Key`. */
export const idempotentWrite = {
  headers: {
    'idempotency-key': idempotencyKey(
      'Makes a retry safe: the same key and body within 24 hours answer as the first request did, with `Idempotency-Replayed: true`.',
    ),
  },
  problems: ['idempotency_in_progress', 'idempotency_key_reused'],
} as const

/** The same for a POST whose answer holds a secret, which is not kept. */
export const idempotentSecretWrite = {
  headers: {
    'idempotency-key': idempotencyKey(
      'Makes a retry safe: the same key and body within 24 hours do nothing more. The answer holds a secret and is not kept, so a repeated request is answered with 409 `idempotency_not_replayable`, and `Location` names what the first one made.',
    ),
  },
  problems: ['idempotency_not_replayable', ...idempotentWrite.problems],
} as const

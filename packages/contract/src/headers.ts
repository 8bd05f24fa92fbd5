import { z } from 'zod'

// An entity tag is an opaque quoted string; `*` and lists are allowed (RFC 9110, section 13.1).
const entityTags = z
  .string()
  .regex(
    /^\s*(\*|(W\/)?"[\x21\x23-\x7e]*"(\s*,\s*(W\/)?"[\x21\x23-\x7e]*")*)\s*$/,
    'Must be `*` or a list of quoted entity tags, such as `"a1b2"`.',
  )
  .optional()

/** The headers of a read that can return 304. */
export const conditionalRead = {
  'if-none-match': entityTags.meta({ description: 'Returns 304 without a body if the current `ETag` is one of these.' }),
}

/** The headers of a write that can return 412. */
export const conditionalWrite = {
  'if-match': entityTags.meta({
    description: 'Applies the request only if the current `ETag` of the resource is one of these; otherwise returns 412.',
  }),
}

const idempotencyKey = (description: string) =>
  z
    .string()
    .regex(/^[\x21-\x7e]{1,255}$/, 'Must be 1 to 255 visible ASCII characters.')
    .optional()
    .meta({ description })

/** The `Idempotency-Key` header and its problem codes, for a POST operation. */
export const idempotentWrite = {
  headers: {
    'idempotency-key': idempotencyKey(
      'Makes retries safe. For 24 hours, a repeated request with the same key and body returns the response of the first one, with `Idempotency-Replayed: true`.',
    ),
  },
  problems: ['idempotency_in_progress', 'idempotency_key_reused'],
} as const

/** The `Idempotency-Key` header and its problem codes, for a POST operation whose response contains a secret and is not stored. */
export const idempotentSecretWrite = {
  headers: {
    'idempotency-key': idempotencyKey(
      'Makes retries safe. For 24 hours, a repeated request with the same key and body has no further effect. The response contains a secret and is not stored, so a repeated request returns 409 `idempotency_not_replayable` with the created resource in `Location`.',
    ),
  },
  problems: ['idempotency_not_replayable', ...idempotentWrite.problems],
} as const

import { z } from 'zod'

// The syntax of `If-Match` and `If-None-Match` (RFC 9110, section 13.1): one entity tag, a list of tags, or `*`. An entity tag
// is an opaque quoted string.
const entityTags = z
  .string()
  .regex(
    /^\s*(\*|(W\/)?"[\x21\x23-\x7e]*"(\s*,\s*(W\/)?"[\x21\x23-\x7e]*")*)\s*$/,
    'Must be `*` or a list of quoted entity tags, such as `"a1b2"`.',
  )
  .optional()

/** The request headers of an operation that can return 304. */
export const conditionalRead = {
  'if-none-match': entityTags.meta({
    description: "One or more `ETag` values. If they include the resource's current `ETag`, the response is 304 without a body.",
  }),
}

/** The request headers of an operation that can return 412. */
export const conditionalWrite = {
  'if-match': entityTags.meta({
    description:
      "One or more `ETag` values. The request is applied only if they include the resource's current `ETag`; otherwise, the response is 412.",
  }),
}

/** The pattern of an idempotency key. */
export const idempotencyKeyPattern = /^[\x21-\x7e]{1,255}$/

const idempotencyKey = (description: string) =>
  z.string().regex(idempotencyKeyPattern, 'Must be 1 to 255 visible ASCII characters.').optional().meta({ description })

/**
 * The `Idempotency-Key` header of a POST operation, and the problem codes that the operation can return if a request has
 * this header.
 */
export const idempotentWrite = {
  headers: {
    'idempotency-key': idempotencyKey(
      'Makes retries safe. For 24 hours, repeating a successful request with the same key and body returns the response to the first request, with `Idempotency-Replayed: true`. Live and test API keys do not share idempotency keys.',
    ),
  },
  problems: ['idempotency_in_progress', 'idempotency_key_reused'],
} as const

/**
 * The `Idempotency-Key` header of a POST operation with several items, and the problem code that the operation can return
 * if a request has this header.
 */
export const idempotentBatch = {
  headers: {
    'idempotency-key': idempotencyKey(
      'Makes retries of the whole batch safe. For 24 hours, a request with the same key and body accepts no item twice: it returns the notifications of the items that were already accepted, and tries only the remaining items again. If it returns notifications, but none of them is new, the response has `Idempotency-Replayed: true`. An item that has an `idempotency_key` uses that key instead.',
    ),
  },
  problems: ['idempotency_key_reused'],
} as const

/**
 * The `Idempotency-Key` header of a POST operation whose response contains a secret, and the problem codes that the operation
 * can return if a request has this header. The response is not stored, because of the secret.
 */
export const idempotentSecretWrite = {
  headers: {
    'idempotency-key': idempotencyKey(
      'Makes retries safe. For 24 hours, repeating a successful request with the same key and body has no further effect. Because the response contains a secret, it is not stored. A repeated request returns 409 `idempotency_not_replayable` instead. If the first request created a resource, `Location` contains its path.',
    ),
  },
  problems: ['idempotency_not_replayable', ...idempotentWrite.problems],
} as const

/** The request header with the settings digest that the sender expects. The response reports whether the settings have changed. */
export const settingsDigest = {
  'flowpost-settings-digest': z
    .string()
    .regex(/^[\w-]{1,100}$/, 'Must be a digest that an export returned: 1 to 100 letters, digits, underscores or hyphens.')
    .optional()
    .meta({
      description:
        "The settings digest that the sender expects, as returned by an export. If the body names a project by key, the server compares this digest with the digest of the project's current settings. If they differ, the response has `Flowpost-Settings-Changed: true`, even if it is an error response. The request header has no other effect. For a batch, only the project of the first notification is compared.",
      examples: ['Zm9vYmFyYmF6cXV4MTIzNA'],
    }),
}

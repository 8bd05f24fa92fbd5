import type { Mutant } from '../mutant.ts'
import { inFile } from './in-file.ts'

const folder = 'packages/contract/src'

/** Server bugs in the contract's schemas and request rules. */
export const contractRuleMutants: readonly Mutant[] = [
  ...inFile(`${folder}/rules/entity-tags.ts`, [
    {
      name: 'If-Match: * matches nothing',
      find: `if (tags.includes('*') || tags.includes(getEtag())) return`,
      replace: 'if (tags.includes(getEtag())) return',
      killedBy: /^projects\.update 200: renames a project/,
    },
    {
      name: 'If-Match accepts a weak tag',
      find: `tags.includes(getEtag())) return`,
      replace: `tags.some((tag) => tag.endsWith(getEtag()))) return`,
      killedBy: / 412: /,
    },
    {
      name: 'If-Match accepts any tag with the length of the ETag',
      find: `tags.includes(getEtag())) return`,
      replace: `tags.some((tag) => tag.length === getEtag().length)) return`,
      killedBy: /^(projects\.update 200: renames|flows\.update 412)/,
    },
    {
      name: 'If-None-Match: * matches nothing',
      find: `tag === '*' || tag.replace(/^W\\//, '') === etag`,
      replace: `tag.replace(/^W\\//, '') === etag`,
      killedBy: /^projects\.get 304/,
    },
    {
      name: 'If-None-Match compares weak tags strongly',
      find: `tag.replace(/^W\\//, '') === etag`,
      replace: 'tag === etag',
      killedBy: /^projects\.get 304/,
    },
    {
      name: 'entity tags that contain a comma are split',
      find: `header.match(/\\*|(?:W\\/)?"[^"]*"/g) ?? []`,
      replace: `header.split(',').map((tag) => tag.trim())`,
      killedBy: /^projects\.(get 304|update 412)/,
    },
  ]),
  ...inFile(`${folder}/rules/idempotency.ts`, [
    {
      name: 'a response is replayed to a credential for another project',
      find: 'toCanonicalJson([projectId ?? null, body ?? null])',
      replace: 'toCanonicalJson([null, body ?? null])',
      killedBy: /^flows\.create 422: does not replay a response to a credential with a different project binding/,
    },
    {
      name: 'the problem for a repeated key creation has no Location',
      find: '{ headers: { ...headers, ...replayedHeaders } }',
      replace: '{ headers: replayedHeaders }',
      killedBy: /^apiKeys\.create 409/,
    },
  ]),
  ...inFile(`${folder}/rules/json-body.ts`, [
    {
      name: 'a body with a key named __proto__ is accepted',
      find: `if (key === '__proto__') return`,
      replace: `if (key === '__proto__' && depth > 9) return`,
      killedBy: /^projects\.create 400: rejects a body that is not JSON/,
    },
    {
      name: 'invalid UTF-8 is accepted',
      find: 'fatal: true',
      replace: 'fatal: false',
      killedBy: /^projects\.create 400: rejects a body that is not JSON/,
    },
    {
      name: 'a compressed body is accepted',
      find: `if ((contentEncoding ?? 'identity').toLowerCase() !== 'identity')`,
      replace: `if ((contentEncoding ?? 'identity').toLowerCase() === 'never')`,
      killedBy: /^projects\.create 415/,
    },
    {
      name: 'a body in another charset is accepted',
      find: `name.trim() !== 'charset' || /^"?utf-?8"?$/.test(value.trim())`,
      replace: 'name.length + value.length > 0',
      killedBy: /^projects\.create 415/,
    },
  ]),
  ...inFile(`${folder}/rules/pages.ts`, [
    {
      // According to the description of notifications.list, a page "holds at most 2,000 deliveries and attempts in total".
      name: 'attempts do not count toward the size of a page',
      find: '1 + Math.min(delivery.attempt_count, maxAttempts)',
      replace: '1',
      killedBy: /^notifications\.list 200: limits a page to 2,000/,
    },
    {
      name: "one user's cursor is valid for another user",
      find: '.filter(([, value]) => value !== undefined)',
      replace: `.filter(([name, value]) => value !== undefined && name !== 'user_id')`,
      killedBy: /^projects\.list 400: rejects another user's cursor/,
    },
    {
      name: 'a notification embeds 101 deliveries',
      find: 'export const maxEmbeddedDeliveries = 100',
      replace: 'export const maxEmbeddedDeliveries = 101',
      killedBy: /^notifications\.deliveries 200: pages through all/,
    },
    {
      name: 'a page embeds 2,100 deliveries',
      find: 'export const maxEmbeddedRows = 2_000',
      replace: 'export const maxEmbeddedRows = 2_100',
      killedBy: /^notifications\.list 200: limits a page/,
    },
    {
      name: 'a page may have 2 MiB',
      find: 'export const maxPageBytes = 1_048_576',
      replace: 'export const maxPageBytes = 2_097_152',
      killedBy: /^flows\.list 200: limits a page to 1 MiB/,
    },
  ]),
  ...inFile(`${folder}/rules/field-errors.ts`, [
    {
      // RFC 6901, section 4, warns about this order of the two replacements.
      name: 'a slash in the name of a field is escaped twice in a pointer',
      find: ".replaceAll('~', '~0').replaceAll('/', '~1')",
      replace: ".replaceAll('/', '~1').replaceAll('~', '~0')",
      killedBy: /^projects\.create 422: escapes ~ and \/ in the pointer/,
    },
    {
      name: 'a pointer may have 257 characters',
      find: 'if (next.length > maxPointerLength) return',
      replace: 'if (next.length > maxPointerLength + 1) return',
      killedBy: /^projects\.create 422: reports errors at the enclosing field/,
    },
    {
      name: 'a pointer in a settings document may have 257 characters',
      find: 'if (pointer.length <= maxPointerLength) return',
      replace: 'if (pointer.length <= maxPointerLength + 1) return',
      killedBy: /^settings\.apply 422: reports errors at the enclosing field/,
    },
    {
      name: 'an unknown field is reported as an invalid value',
      find: `[...path, key], 'unknown_field'`,
      replace: `[...path, key], 'invalid_value'`,
      killedBy: /^projects\.create 422: rejects an unknown field/,
    },
    {
      name: 'a missing field is reported as an invalid type',
      find: `if (isMissing) return 'required'`,
      replace: `if (isMissing) return 'invalid_type'`,
      killedBy: /^flows\.create 422: returns schema issues and provider issues/,
    },
    {
      name: 'the length of a text is reported like the size of a number',
      find: `string: { tooSmall: 'too_short', tooBig: 'too_long' },`,
      replace: `string: { tooSmall: 'too_small', tooBig: 'too_big' },`,
      killedBy: /^integrations\.put 422: rejects a setting that is too/,
    },
  ]),
  ...inFile(`${folder}/primitives.ts`, [
    {
      name: 'a page may have 1,001 resources',
      find: 'QueryInteger(1, 1000).default(100)',
      replace: 'QueryInteger(1, 1001).default(100)',
      killedBy: /^projects\.list 422: rejects an invalid limit/,
    },
    {
      name: 'a page has 50 resources by default',
      find: 'QueryInteger(1, 1000).default(100)',
      replace: 'QueryInteger(1, 1000).default(50)',
      killedBy: /^notifications\.deliveries 200: returns 100 deliveries per/,
    },
    {
      name: 'a number in a query may have an exponent',
      find: `typeof value === 'string' && /^\\d{1,9}$/.test(value) ? Number(value) : value`,
      replace: `typeof value === 'string' && value !== '' ? Number(value) : value`,
      killedBy: /^projects\.list 422: rejects an invalid limit/,
    },
    {
      name: 'lengths count UTF-16 code units',
      find: 'if (value.length > 2 * max || (value.length > max && countCodePoints(value) > max))',
      replace: 'if (value.length > max)',
      killedBy: /^flows\.create 422: rejects a name over 255/,
    },
    {
      name: 'a text may be one character too long',
      find: '(value.length > max && countCodePoints(value) > max))',
      replace: '(value.length > max && countCodePoints(value) > max + 1))',
      killedBy: /^flows\.create 422: rejects a name over 255/,
    },
    {
      name: 'names are not trimmed',
      find: 'const trimmed = value.trim()',
      replace: 'const trimmed = value',
      killedBy: /^projects\.create 201: creates a project with a trimmed/,
    },
    {
      name: 'names are not normalized',
      find: `trimmed.normalize('NFC')`,
      replace: 'trimmed',
      killedBy: /^projects\.create 201: creates a project with a trimmed/,
    },
    {
      name: 'names may have control characters',
      find: `if (rule.forbid === 'control characters' && controlCharacter.test(value))`,
      replace: `if (rule.forbid === 'control characters' && value === '')`,
      killedBy: /^projects\.create 422: returns an issue for an invalid name/,
    },
    {
      name: 'a subject may have two lines',
      find: `if (rule.forbid === 'line breaks' && lineBreak.test(value))`,
      replace: `if (rule.forbid === 'line breaks' && value === '')`,
      killedBy: /^notifications\.send 422: returns all issues/,
    },
  ]),
  ...inFile(`${folder}/rules/queue-limit.ts`, [
    {
      name: 'the queue has no limit',
      find: 'if (pending.ofAll + count > limit)',
      replace: 'if (pending.ofAll > limit)',
      killedBy: /^any 503/,
    },
    {
      name: 'one user may fill the queue',
      find: 'if (pending.ofUser + count > Math.ceil(limit / 2))',
      replace: 'if (pending.ofUser + count > limit)',
      killedBy: /^any 503/,
    },
    {
      name: 'a full queue has no Retry-After',
      find: `, { headers: { 'Retry-After': String(retryAfterSeconds) } })`,
      replace: ')',
      killedBy: /^any 503/,
    },
  ]),
]

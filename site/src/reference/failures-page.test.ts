import { builtInSourceTypes } from '@flowpost/contract'
import { simulatedFailuresOf } from '@flowpost/domain'
import { describe, expect, it } from 'vitest'
import type { DeliveryError } from '../../../packages/delivery/src/delivery-error.ts'
import { createStatusError } from '../../../packages/delivery/src/network/http.ts'
import { slackErrorClasses } from '../../../packages/delivery/src/providers/slack-errors.ts'
import { SmtpConnectionError, toDeliveryError } from '../../../packages/delivery/src/providers/smtp/errors.ts'
import { failureCodes, failureKinds } from './failure-codes.ts'
import { readFailures, type SourceFailure } from './failure-sources.ts'
import { createFailuresPage } from './failures-page.ts'

const sources = readFailures()
const rows = failureCodes.flatMap((section) => section.codes)
const codesOf = (column: string): string[] =>
  column.startsWith('`') ? [...column.matchAll(/`([^`…]+)`/g)].map(([, code = '']) => code) : [column]
const rowOf = (code: string) => rows.find(([column]) => codesOf(column).includes(code))
const isRetryable = (kind: string): boolean => ['rate', 'provider', 'ambiguous'].includes(kind)
const retriedText = (kind: string, retryable: boolean): string => (!retryable ? 'no' : kind === 'ambiguous' ? 'depends' : 'yes')

/** Returns the difference between the reference and a failure in the source code, or `undefined` if they agree. */
const differenceOf = ({ code, kinds, retryable }: SourceFailure): string | undefined => {
  const row = rowOf(code)
  if (!row) return code in slackErrorClasses ? undefined : `${code} is missing`
  const [, documentedKind, retried, text] = row
  for (const kind of kinds) {
    const isDocumented = kind === documentedKind || text.includes(`the kind is \`${kind}\``)
    if (!isDocumented) return `${code} can have the kind ${kind}`
    const expected = retriedText(kind, retryable ?? isRetryable(kind))
    if (kind === documentedKind && retried !== expected) return `${code} with the kind ${kind} is retried: ${expected}`
  }
  return undefined
}

const replied = (response: string, command = 'DATA') =>
  toDeliveryError(
    new SmtpConnectionError('send', true, Object.assign(new Error(''), { response, command, code: 'EMESSAGE' })),
  ) as DeliveryError

describe('the failure code reference', () => {
  it.each([
    'packages/delivery/src/providers/smtp/errors.ts',
    'packages/delivery/src/providers/discord.ts',
    'packages/delivery/src/providers/teams.ts',
    'packages/delivery/src/providers/slack.ts',
    'packages/delivery/src/network/egress.ts',
    'apps/api/src/features/integrations/credentials.ts',
    'apps/api/src/features/delivery/attempts/send.ts',
  ])('reads codes from %s', (file) => {
    expect(sources.get(file)?.length).toBeGreaterThan(0)
  })

  it('reads a code that is one of several strings', () => {
    const codes = [...sources.values()].flat().map(({ code }) => code)
    expect(codes).toEqual(expect.arrayContaining(['unrecognized', 'connection_lost']))
  })

  it.each([...sources])('contains every code in %s, with its kind and whether it is retried', (_, failures) => {
    expect(failures.flatMap((failure) => differenceOf(failure) ?? [])).toEqual([])
  })

  it.each([...builtInSourceTypes, 'custom'])('contains the failures of simulated recipients of the provider %s', (sourceType) => {
    const failures = Object.values(simulatedFailuresOf(sourceType))
    expect(failures.flatMap((failure) => differenceOf({ ...failure, kinds: [failure.kind] }) ?? [])).toEqual([])
  })

  it.each([301, 400, 401, 404, 429, 500, 502])('contains the failure for the HTTP status %i', (status) => {
    const failure = createStatusError({ status, headers: new Headers(), text: '', json: {}, retryAfterMs: undefined }, '')
    expect(differenceOf({ ...failure, kinds: [failure.kind] })).toBeUndefined()
  })

  it('contains each code once', () => {
    const documented = rows.flatMap(([column]) => codesOf(column))
    expect(documented).toEqual([...new Set(documented)])
  })

  it('states for each kind if some of its failures are retried and others are not', () => {
    const stated = [...sources.values()].flat().flatMap(({ kinds, retryable }) => kinds.map((kind) => ({ kind, retryable })))
    const unusual = [
      ...stated,
      replied('550 5.7.28 Flood'),
      replied('451 4.7.1 Later'),
      replied('452 4.2.2 Full', 'RCPT TO'),
      replied('500 Bad'),
    ]
      .filter(({ kind, retryable }) => retryable !== undefined && retryable !== isRetryable(kind))
      .map(({ kind }) => kind)
    expect([...new Set(unusual)].sort()).toEqual(['ambiguous', 'content', 'credential', 'provider', 'rate', 'target'])
    for (const kind of unusual) expect(failureKinds.find(([name]) => name === kind)?.[2], kind).toContain('except')
  })

  it('states that FLOWPOST_AMBIGUOUS decides about the ambiguous errors of Slack', () => {
    const page = createFailuresPage().markdown
    expect(page).toMatch(/^\| `fatal_error` \| `ambiguous` \| depends \|/m)
    expect(page).toMatch(/^\| `ratelimited` \| `rate` \| yes \|/m)
  })
})

import { describe, expect, it } from 'vitest'
import {
  createDiscordCase,
  createMailgunCase,
  createSlackCase,
  createSmtpCase,
  createTeamsCase,
  createWebhookCase,
} from '../../test/conformance-cases.ts'
import { createSampleProvider, sampleCredential } from '../../test/fixtures.ts'
import { createShortMessageCase } from '../../test/short-message-service.ts'
import { createConformanceChecks } from '../conformance.ts'
import { DeliveryError } from '../delivery-error.ts'

describe.each([
  ['mailgun', createMailgunCase],
  ['slack', createSlackCase],
  ['smtp', createSmtpCase],
  ['discord', createDiscordCase],
  ['teams', createTeamsCase],
  ['webhook', createWebhookCase],
  ['with a limit of 160 characters', () => createShortMessageCase()],
  ['with a limit of 40 bytes', () => createShortMessageCase({ limits: { totalBytes: 40 } })],
])('the provider %s', (_, createCase) => {
  it.each(createConformanceChecks(createCase).map((check) => [check.name, check] as const))('%s', (__, check) => check.run())
})

describe('an invalid provider', () => {
  const base = {
    credential: { ...sampleCredential, trusted: true },
    targets: ['room-1', 'room-2'],
    invalidTargets: ['attic'],
    setBehavior: () => {},
    received: () => [{ target: 'room-1', text: '' }],
    close: async () => {},
  } as const
  it.each([
    ['ignores its signal', { send: () => new Promise(() => {}) }, 'stops when the signal aborts'],
    [
      'sends after an abort',
      { send: async () => ({ providerMessageId: null, response: '' }) },
      'sends nothing when the signal is already aborted',
    ],
    ['throws an error that is not a DeliveryError', { send: () => Promise.reject(new Error('x')) }, 'throws only DeliveryError'],
    [
      'reports a rejection as retryable',
      { send: () => Promise.reject(new DeliveryError({ kind: 'target', code: 'x', detail: '', retryable: true })) },
      'reports a rejection as final',
    ],
    [
      'accepts any target',
      { parseTarget: (address: string) => ({ ok: true, target: address, key: address }) },
      'rejects invalid targets with a message and never throws',
    ],
    [
      'returns the same key for every target',
      { parseTarget: (address: string) => ({ ok: true, target: address, key: '' }) },
      'parses targets into a stable canonical form',
    ],
    [
      'composes random bytes',
      { compose: () => ({ headers: [], raw: String(Math.random()), envelope: { to: '' } }) },
      'composes identical bytes for every attempt without modifying its arguments',
    ],
    [
      'allows header injection',
      {
        compose: ({ content }: { content: { subject: string } }) => ({
          headers: [['Subject', content.subject]],
          raw: '',
          envelope: { to: '' },
        }),
      },
      'composes malicious text without errors or injected headers',
    ],
    ['declares an unknown field', { secretDestination: { settings: ['host'] } }, 'declares only existing fields in secretDestination'],
    [
      'connects to an address from its credential without declaring it',
      {
        secretDestination: {},
        send: async ({ egress }: { egress: { fetch: (url: string, init: object) => Promise<unknown> } }) => {
          await egress.fetch('http://127.0.0.1:1/', {}).catch(() => {})
          return { providerMessageId: null, response: '' }
        },
      },
      'declares secretDestination when the credential contains an address',
    ],
    ['has no escape function', {}, 'has a valid id and positive limits'],
  ] as const)('that %s fails the check', async (_, overrides, name) => {
    const provider = { ...createSampleProvider(), ...(overrides as object) }
    const check = createConformanceChecks(async () => ({ ...base, provider })).find((candidate) => candidate.name === name)
    await expect(check?.run()).rejects.toThrow()
  })

  it.each([
    ['trims text', { formatText: (text: string) => text.trim() }, 'delivers text in any script unchanged'],
    ['removes trailing whitespace', { formatText: (text: string) => text.trimEnd() }, 'delivers text in any script unchanged'],
    ['does not truncate titles to the service limit', { formatTitle: (subject: string) => subject }, 'accepts a subject of 998 characters'],
  ])('that %s fails the check', async (_, options, name) => {
    const check = createConformanceChecks(() => createShortMessageCase(options)).find((candidate) => candidate.name === name)
    await expect(check?.run()).rejects.toThrow()
  })
})

import { describe, expect, it } from 'vitest'
import { discordCase, mailgunCase, slackCase, smtpCase, teamsCase, webhookCase } from '../test/conformance-cases.ts'
import { sampleCredential, sampleProvider } from '../test/sample-provider.ts'
import { shortMessageCase } from '../test/short-message-case.ts'
import { providerConformance } from './conformance.ts'
import { DeliveryError } from './delivery-error.ts'

describe.each([
  ['mailgun', mailgunCase],
  ['slack', slackCase],
  ['smtp', smtpCase],
  ['discord', discordCase],
  ['teams', teamsCase],
  ['webhook', webhookCase],
  ['of messages of 160 characters', () => shortMessageCase()],
  ['of messages of 40 bytes', () => shortMessageCase({ limits: { totalBytes: 40 } })],
])('the provider %s', (_, makeCase) => {
  it.each(providerConformance(makeCase).map((check) => [check.name, check] as const))('%s', (__, check) => check.run())
})

describe('a provider that is wrong', () => {
  const base = {
    credential: { ...sampleCredential, trusted: true },
    targets: ['room-1', 'room-2'],
    badTargets: ['attic'],
    behave: () => {},
    received: () => [{ target: 'room-1', text: '' }],
    close: async () => {},
  } as const
  it.each([
    ['ignores its signal', { send: () => new Promise(() => {}) }, 'stops when its signal is aborted'],
    [
      'sends after an abort',
      { send: async () => ({ providerMessageId: null, response: '' }) },
      'sends nothing when its signal is aborted already',
    ],
    ['throws what it likes', { send: () => Promise.reject(new Error('x')) }, 'throws a DeliveryError and nothing else'],
    [
      'retries a refusal',
      { send: () => Promise.reject(new DeliveryError({ kind: 'target', code: 'x', detail: '', retryable: true })) },
      'a refusal is final',
    ],
    [
      'takes any target',
      { parseTarget: (address: string) => ({ ok: true, target: address, key: address }) },
      'refuses bad targets with a message, and throws for no text',
    ],
    [
      'gives all targets one key',
      { parseTarget: (address: string) => ({ ok: true, target: address, key: '' }) },
      'reads a target to one canonical form, which it reads to itself',
    ],
    [
      'composes at random',
      { compose: () => ({ headers: [], raw: String(Math.random()), envelope: { to: '' } }) },
      'composes the same bytes for every attempt, and changes nothing it was given',
    ],
    [
      'lets a header be added',
      {
        compose: ({ content }: { content: { subject: string } }) => ({
          headers: [['Subject', content.subject]],
          raw: '',
          envelope: { to: '' },
        }),
      },
      'composes odd text without failing and without another header',
    ],
    [
      'names a field that is not there',
      { secretDestination: { settings: ['host'] } },
      'names only fields that exist as those that decide where secrets go',
    ],
    [
      'reaches an address of its credential and names no field',
      {
        secretDestination: {},
        send: async ({ egress }: { egress: { fetch: (url: string, init: object) => Promise<unknown> } }) => {
          await egress.fetch('http://127.0.0.1:1/', {}).catch(() => {})
          return { providerMessageId: null, response: '' }
        },
      },
      'names the fields that decide where secrets go, when an address comes from the credential',
    ],
    ['has no escape rule', {}, 'has an id within the grammar and limits that are positive'],
  ] as const)('because it %s is found out', async (_, changes, name) => {
    const provider = { ...sampleProvider(), ...(changes as object) }
    const check = providerConformance(async () => ({ ...base, provider })).find((each) => each.name === name)
    await expect(check?.run()).rejects.toThrow()
  })

  it.each([
    ['trims its text', { text: (text: string) => text.trim() }, 'delivers text unchanged, in any script'],
    ['drops blanks at the end', { text: (text: string) => text.trimEnd() }, 'delivers text unchanged, in any script'],
    ['cuts no title to what the service takes', { title: (subject: string) => subject }, 'takes the longest subject, of 998 characters'],
  ])('because it %s is found out', async (_, options, name) => {
    const check = providerConformance(() => shortMessageCase(options)).find((each) => each.name === name)
    await expect(check?.run()).rejects.toThrow()
  })
})

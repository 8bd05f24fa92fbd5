import assert from 'node:assert/strict'
import { providerIdPattern } from '../provider.ts'
import { captureMessage } from '../providers/capture.ts'
import type { SuiteCheck } from './run.ts'

/** Text that breaks careless code: the empty, the invisible, the very long, the injecting, the half. */
const oddTexts = [
  '',
  ' ',
  '\u0000',
  '\r\n.\r\n',
  'a\r\nBcc: eve@example.com',
  ';',
  'x;y',
  ':',
  '../../etc',
  '<script>',
  '%00',
  '\ud800',
  '\u202eabc',
  '👩‍👩‍👧‍👦',
  'e\u0301',
  '\ufeff',
  '__proto__',
  'x'.repeat(10_000),
]

export const definitionChecks: readonly SuiteCheck[] = [
  {
    name: 'has an id within the grammar and limits that are positive',
    async run({ provider }) {
      assert.match(provider.id, providerIdPattern)
      for (const limit of Object.values(provider.limits)) assert.ok(Number.isSafeInteger(limit) && limit > 0, `The limit ${limit}`)
      if (provider.kind === 'chat') assert.equal(typeof provider.escape, 'function', 'A chat channel escapes inserted values.')
    },
  },
  {
    name: 'reads a target to one canonical form, which it reads to itself',
    async run({ provider, targets }) {
      const keys = targets.map((address) => {
        const first = provider.parseTarget(address)
        assert.ok(first.ok, `${address} is refused.`)
        const second = provider.parseTarget(first.target)
        assert.deepEqual(second, first, 'The canonical form is read differently.')
        assert.doesNotMatch(first.target, /[;\p{Cc}]|^\s|\s$/u, 'A target must fit into a list of overrides.')
        return first.key
      })
      assert.notEqual(keys[0], keys[1], 'Different receivers have the same key.')
    },
  },
  {
    name: 'refuses bad targets with a message, and throws for no text',
    async run({ provider, badTargets }) {
      for (const address of [...badTargets, ...oddTexts]) {
        const result = provider.parseTarget(address)
        const name = JSON.stringify(address.slice(0, 40))
        if (result.ok) assert.ok(!badTargets.includes(address) && !/[;\p{Cc}\p{Cs}]/u.test(address), `${name} is accepted.`)
        else assert.ok(result.message.length > 0, `${name} is refused without a message.`)
      }
    },
  },
  {
    name: 'refuses settings and secrets with unknown fields',
    async run({ provider, credential }) {
      for (const [part, schema] of [
        ['settings', provider.settings],
        ['secrets', provider.secrets],
      ] as const) {
        const result = schema.safeParse({ ...(credential[part] as object), surely_unknown: 1 })
        assert.equal(result.success, false, `Unknown ${part} are accepted.`)
      }
    },
  },
  {
    name: 'names only fields that exist as those that decide where secrets go',
    async run({ provider }) {
      for (const part of ['settings', 'secrets'] as const)
        for (const name of provider.secretDestination?.[part] ?? [])
          assert.ok(Object.hasOwn(provider[part].shape, name), `secretDestination names ${name}, which is not among the ${part}.`)
    },
  },
]

export const composeChecks: readonly SuiteCheck[] = [
  {
    name: 'composes the same bytes for every attempt, and changes nothing it was given',
    async run({ provider, credential, message }) {
      const content = Object.freeze({ subject: 'Ünïcode', text: 'text', html: '<p>html</p>' })
      const settings = Object.freeze({ ...(credential.settings as object) })
      const first = await captureMessage(provider, Object.freeze(message({ content })), settings)
      const later = await captureMessage(provider, Object.freeze(message({ content, attemptNumber: 7 })), settings)
      assert.deepEqual(later, first)
    },
  },
  {
    name: 'composes without a secret, and without settings',
    async run({ provider, credential, message, secrets }) {
      const composed = JSON.stringify([
        await captureMessage(provider, message(), credential.settings),
        await captureMessage(provider, message()),
      ])
      for (const secret of secrets) assert.ok(!composed.includes(secret), 'A secret is shown.')
    },
  },
  {
    name: 'composes odd text without failing and without another header',
    async run({ provider, message, credential }) {
      const plain = await captureMessage(provider, message(), credential.settings)
      const names = new Set(plain.headers.map(([name]) => name.toLowerCase()))
      for (const odd of oddTexts) {
        const composed = await captureMessage(provider, message({ content: { subject: odd, text: odd } }), credential.settings)
        for (const [name, value] of composed.headers) {
          assert.doesNotMatch(`${name}${value}`, /[\r\n]/, `A line break in a header, from ${JSON.stringify(odd.slice(0, 40))}.`)
          assert.ok(names.has(name.toLowerCase()), `A header that was not there before: ${name}.`)
        }
      }
    },
  },
]

import assert from 'node:assert/strict'
import { captureMessage } from '../capture.ts'
import { providerIdPattern } from '../provider.ts'
import { maliciousTexts } from './sample-content.ts'
import type { SuiteCheck } from './test-context.ts'

/** The checks for a provider's definition: its id, limits, targets and schemas. */
export const definitionChecks: readonly SuiteCheck[] = [
  {
    name: 'has a valid id and positive limits',
    async run({ provider }) {
      assert.match(provider.id, providerIdPattern)
      const { textCharacters = 1, totalBytes = 1 } = provider.limits
      for (const limit of [textCharacters, totalBytes]) {
        assert.ok(Number.isSafeInteger(limit) && limit > 0, `The limit ${limit} is not a positive integer.`)
      }
      if (provider.kind === 'chat') assert.equal(typeof provider.escape, 'function', 'A chat provider must define the function `escape`.')
    },
  },
  {
    name: 'parses targets into a stable canonical form',
    async run({ provider, targets }) {
      const keys = targets.map((address) => {
        const parsed = provider.parseTarget(address)
        assert.ok(parsed.ok, `The valid target ${address} is rejected.`)
        assert.deepEqual(provider.parseTarget(parsed.target), parsed, 'Parsing a canonical target again changes the result.')
        assert.doesNotMatch(
          parsed.target,
          /[;\p{Cc}]|^\s|\s$/u,
          'A target must not contain semicolons, control characters or surrounding spaces.',
        )
        return parsed.key
      })
      assert.notEqual(keys[0], keys[1], 'Different recipients have the same key.')
    },
  },
  {
    name: 'rejects invalid targets with a message and never throws',
    async run({ provider, invalidTargets }) {
      for (const address of [...invalidTargets, ...maliciousTexts]) {
        const result = provider.parseTarget(address)
        const quoted = JSON.stringify(address.slice(0, 40))
        if (result.ok)
          assert.ok(!invalidTargets.includes(address) && !/[;\p{Cc}\p{Cs}]/u.test(address), `The invalid target ${quoted} is accepted.`)
        else assert.ok(result.message.length > 0, `${quoted} is rejected without a message.`)
      }
    },
  },
  {
    name: 'rejects unknown fields in settings and secrets',
    async run({ provider, credential }) {
      for (const part of ['settings', 'secrets'] as const) {
        const result = provider[part].safeParse({ ...(credential[part] as object), surely_unknown: 1 })
        assert.equal(result.success, false, `An unknown field in ${part} is accepted.`)
      }
    },
  },
  {
    name: 'declares only existing fields in secretDestination',
    async run({ provider }) {
      for (const part of ['settings', 'secrets'] as const)
        for (const name of provider.secretDestination?.[part] ?? [])
          assert.ok(Object.hasOwn(provider[part].shape, name), `secretDestination names an unknown field of ${part}: ${name}.`)
    },
  },
]

/** The checks for a provider's `compose` function. */
export const compositionChecks: readonly SuiteCheck[] = [
  {
    name: 'composes identical bytes for every attempt without modifying its arguments',
    async run({ provider, credential, createMessage }) {
      const content = Object.freeze({ subject: 'Ünïcode', text: 'text', html: '<p>html</p>' })
      const settings = Object.freeze({ ...(credential.settings as object) })
      const first = await captureMessage(provider, Object.freeze(createMessage({ content })), settings)
      const later = await captureMessage(provider, Object.freeze(createMessage({ content, attemptNumber: 7 })), settings)
      assert.deepEqual(later, first)
    },
  },
  {
    name: 'composes a message that contains no secrets, with and without settings',
    async run({ provider, credential, createMessage, secrets }) {
      const composed = JSON.stringify([
        await captureMessage(provider, createMessage(), credential.settings),
        await captureMessage(provider, createMessage()),
      ])
      for (const secret of secrets) assert.ok(!composed.includes(secret), 'The composed message contains a secret.')
    },
  },
  {
    name: 'composes malicious text without errors or injected headers',
    async run({ provider, createMessage, credential }) {
      const plain = await captureMessage(provider, createMessage(), credential.settings)
      const expectedNames = new Set(plain.headers.map(([name]) => name.toLowerCase()))
      for (const text of maliciousTexts) {
        const composed = await captureMessage(provider, createMessage({ content: { subject: text, text } }), credential.settings)
        for (const [name, value] of composed.headers) {
          assert.doesNotMatch(
            `${name}${value}`,
            /[\r\n]/,
            `A header contains a line break from the text ${JSON.stringify(text.slice(0, 40))}.`,
          )
          assert.ok(expectedNames.has(name.toLowerCase()), `The header ${name} was injected.`)
        }
      }
    },
  },
]

import assert from 'node:assert/strict'
import { DeliveryError } from '../delivery-error.ts'
import { fittingContent, hardTexts, longestSubject } from './fitting-content.ts'
import { type ConformanceRun, patienceMs, type SuiteCheck } from './run.ts'
import type { Behaviour } from './types.ts'

/** Line endings are the transport's, and so is the last one. */
const comparable = (text: string) => text.replace(/\r\n?/g, '\n').replace(/\n+$/, '')

export const transferChecks: readonly SuiteCheck[] = [
  {
    name: 'delivers text unchanged, in any script',
    async run({ provider, behave, deliver, message, received }) {
      behave('accept')
      const contents = hardTexts.map((text) => fittingContent('Ünïcode 🚀', text, provider.limits))
      for (const content of contents) await deliver(message({ content }))
      assert.deepEqual(
        received().map((each) => comparable(each.text)),
        contents.map(({ text }) => comparable(text)),
      )
    },
  },
  {
    name: 'names the fields that decide where secrets go, when an address comes from the credential',
    async run({ provider, behave, callDirectly, message }) {
      behave('accept')
      const { secretDestination } = provider
      const isFixed = secretDestination && !secretDestination.settings?.length && !secretDestination.secrets?.length
      const reached: string[] = []
      await callDirectly(message(), new AbortController().signal, (address) => reached.push(address))
      assert.ok(!isFixed || reached.length === 0, 'An address of the credential is reached, but secretDestination names no field.')
    },
  },
  {
    name: 'takes the longest subject, of 998 characters',
    async run({ provider, behave, deliver, message, received }) {
      behave('accept')
      const content = fittingContent(longestSubject, 'Hello', provider.limits)
      await deliver(message({ content }))
      assert.deepEqual(
        received().map((each) => comparable(each.text)),
        [comparable(content.text)],
      )
    },
  },
  {
    name: 'delivers many messages at once, each to its own receiver and once',
    async run({ behave, deliver, message, received, targets }) {
      behave('accept')
      const expected = Array.from({ length: 12 }, (_, number) => ({ target: targets[number % 2 === 0 ? 0 : 1], text: `number ${number}` }))
      await Promise.all(expected.map(({ target, text }) => deliver(message({ target, content: { subject: 's', text } }))))
      const found = received().map(({ target, text }) => `${target} ${comparable(text)}`)
      assert.deepEqual(found.sort(), expected.map(({ target, text }) => `${target} ${text}`).sort())
    },
  },
  {
    name: 'refuses what is over its limits without sending it',
    async run({ provider, behave, failure, message, received }) {
      behave('accept')
      const { textCharacters, totalBytes } = provider.limits
      const length = Math.min(textCharacters ?? Number.POSITIVE_INFINITY, totalBytes ?? Number.POSITIVE_INFINITY)
      if (length === Number.POSITIVE_INFINITY) return
      const error = await failure(message({ content: { subject: '', text: 'x'.repeat(length + 1) } }))
      assert.deepEqual([error.kind, error.retryable], ['content', false])
      assert.equal(received().length, 0)
    },
  },
  {
    name: 'checks a credential without sending anything',
    async run({ behave, inspect, received }) {
      behave('accept')
      const good = await inspect()
      assert.ok(good.length > 0 && good.every(({ ok }) => ok), `Findings: ${JSON.stringify(good)}`)
      assert.equal(received().length, 0)
    },
  },
]

/** What a failure of each behaviour must say. */
const expectations: ReadonlyArray<{ behaviour: Behaviour; kinds: readonly string[]; retryable: boolean; says: string }> = [
  { behaviour: 'refuse', kinds: ['target', 'content'], retryable: false, says: 'a refusal is final' },
  { behaviour: 'refuse-credential', kinds: ['credential'], retryable: false, says: 'a refused credential is final' },
  { behaviour: 'throttle', kinds: ['rate'], retryable: true, says: 'a request to slow down may be retried' },
  { behaviour: 'fail', kinds: ['provider'], retryable: true, says: 'a passing fault may be retried' },
  { behaviour: 'drop', kinds: ['ambiguous'], retryable: true, says: 'a lost answer leaves the outcome open' },
]

export const failureChecks: readonly SuiteCheck[] = [
  ...expectations.map(({ behaviour, kinds, retryable, says }) => ({
    name: says,
    async run({ behave, failure, message }: ConformanceRun) {
      behave(behaviour)
      const error = await failure(message())
      assert.ok(kinds.includes(error.kind), `The kind is ${error.kind}, not ${kinds.join(' or ')}: ${error.detail}`)
      assert.equal(error.retryable, retryable, `retryable: ${error.detail}`)
    },
  })),
  {
    name: 'an answer that never comes leaves the outcome open',
    async run({ behave, failure, message }) {
      behave('hang')
      const error = await failure(message(), { timeoutMs: 400 })
      assert.deepEqual([error.kind, error.retryable], ['ambiguous', true])
    },
  },
  {
    name: 'throws a DeliveryError and nothing else',
    async run({ behave, callDirectly, message }) {
      for (const { behaviour } of expectations) {
        behave(behaviour)
        const error = await callDirectly(message(), new AbortController().signal).then(
          () => undefined,
          (thrown) => thrown,
        )
        assert.ok(error instanceof DeliveryError, `${behaviour}: ${error}`)
        assert.match(error.code, /^[A-Za-z0-9._:-]{1,64}$/)
      }
    },
  },
  {
    name: 'shows no secret in a failure or a finding',
    async run({ behave, failure, inspect, message, secrets }) {
      for (const behaviour of ['refuse', 'refuse-credential'] as const) {
        behave(behaviour)
        const error = await failure(message())
        const shown = JSON.stringify([error.toFailure(), error.answer, error.stack, error.cause, await inspect()])
        for (const secret of secrets) assert.ok(!shown.includes(secret), `${behaviour}: a secret is shown.`)
      }
    },
  },
  {
    name: 'sends nothing when its signal is aborted already',
    async run({ behave, callDirectly, message, received }) {
      behave('accept')
      await assert.rejects(callDirectly(message(), AbortSignal.abort()))
      assert.equal(received().length, 0)
    },
  },
  {
    name: 'stops when its signal is aborted',
    async run({ behave, callDirectly, message, received }) {
      behave('hang')
      const controller = new AbortController()
      const call = callDirectly(message(), controller.signal)
      call.catch(() => {})
      const deadline = Date.now() + patienceMs
      while (received().length === 0 && Date.now() < deadline) await new Promise((resolve) => setTimeout(resolve, 5))
      controller.abort()
      const late = Symbol('late')
      const outcome = await Promise.race([
        call.then(
          () => 'sent',
          () => 'stopped',
        ),
        new Promise((resolve) => setTimeout(resolve, 1000, late).unref()),
      ])
      assert.equal(outcome, 'stopped', 'The provider goes on after the abort.')
    },
  },
]

import assert from 'node:assert/strict'
import { DeliveryError } from '../delivery-error.ts'
import { createContent, fragileTexts, maxLengthSubject } from './sample-content.ts'
import { type SuiteCheck, type TestContext, waitTimeoutMs } from './test-context.ts'
import type { ServerBehavior } from './types.ts'

/** Removes the differences that a transport may cause: in line endings, in the white space of blank lines, and in trailing line breaks. */
const normalize = (text: string) =>
  text
    .replace(/\r\n?/g, '\n')
    .replace(/^[\t ]+$/gm, '')
    .replace(/\n+$/, '')

/** The checks for a provider's `send` and `check` functions, run against a server that accepts messages. */
export const deliveryChecks: readonly SuiteCheck[] = [
  {
    name: 'delivers text in any script unchanged',
    async run({ provider, setBehavior, deliver, createMessage, received }) {
      setBehavior('accept')
      const contents = fragileTexts.map((text) => createContent('Ünïcode 🚀', text, provider.limits))
      for (const content of contents) await deliver(createMessage({ content }))
      assert.deepEqual(
        received().map(({ text }) => normalize(text)),
        contents.map(({ text }) => normalize(text)),
      )
    },
  },
  {
    name: 'declares secretDestination when the credential contains an address',
    async run({ provider, setBehavior, sendDirectly, createMessage }) {
      setBehavior('accept')
      const { secretDestination } = provider
      const declaresNothing = secretDestination && !secretDestination.settings?.length && !secretDestination.secrets?.length
      const addresses: string[] = []
      await sendDirectly(createMessage(), new AbortController().signal, (address) => addresses.push(address))
      assert.ok(
        !declaresNothing || addresses.length === 0,
        'The provider connects to an address from the credential, but secretDestination is empty.',
      )
    },
  },
  {
    name: 'accepts a subject of 998 characters',
    async run({ provider, setBehavior, deliver, createMessage, received }) {
      setBehavior('accept')
      const content = createContent(maxLengthSubject, 'Hello', provider.limits)
      await deliver(createMessage({ content }))
      assert.deepEqual(
        received().map(({ text }) => normalize(text)),
        [normalize(content.text)],
      )
    },
  },
  {
    name: 'delivers concurrent messages exactly once to the right recipients',
    async run({ setBehavior, deliver, createMessage, received, targets }) {
      setBehavior('accept')
      const expected = Array.from({ length: 12 }, (_, index) => ({ target: targets[index % 2 === 0 ? 0 : 1], text: `number ${index}` }))
      await Promise.all(expected.map(({ target, text }) => deliver(createMessage({ target, content: { subject: 's', text } }))))
      const delivered = received().map(({ target, text }) => `${target} ${normalize(text)}`)
      assert.deepEqual(delivered.sort(), expected.map(({ target, text }) => `${target} ${text}`).sort())
    },
  },
  {
    name: "rejects content over the provider's limits without sending it",
    async run({ provider, setBehavior, deliverAndFail, createMessage, received }) {
      setBehavior('accept')
      const { textCharacters, totalBytes } = provider.limits
      const length = Math.min(textCharacters ?? Number.POSITIVE_INFINITY, totalBytes ?? Number.POSITIVE_INFINITY)
      if (length === Number.POSITIVE_INFINITY) return
      const error = await deliverAndFail(createMessage({ content: { subject: '', text: 'x'.repeat(length + 1) } }))
      assert.deepEqual([error.kind, error.retryable], ['content', false])
      assert.equal(received().length, 0)
    },
  },
  {
    name: 'checks a credential without sending a message',
    async run({ setBehavior, check, received }) {
      setBehavior('accept')
      const results = await check()
      assert.ok(
        results.length > 0 && results.every(({ ok }) => ok),
        `The check returned no step, or a step failed: ${JSON.stringify(results)}`,
      )
      assert.equal(received().length, 0)
    },
  },
]

/** The expected error for each server behavior that makes a delivery fail, except `hang`. */
const expectedErrors: ReadonlyArray<{ behavior: ServerBehavior; kinds: readonly string[]; retryable: boolean; name: string }> = [
  { behavior: 'reject', kinds: ['target', 'content'], retryable: false, name: 'reports a rejection as final' },
  { behavior: 'reject-credential', kinds: ['credential'], retryable: false, name: 'reports a rejected credential as final' },
  { behavior: 'throttle', kinds: ['rate'], retryable: true, name: 'reports throttling as retryable' },
  { behavior: 'fail', kinds: ['provider'], retryable: true, name: 'reports a temporary failure as retryable' },
  { behavior: 'drop', kinds: ['ambiguous'], retryable: true, name: 'reports a lost response as ambiguous' },
]

/** The checks for a provider's errors, timeouts and aborts. */
export const failureChecks: readonly SuiteCheck[] = [
  ...expectedErrors.map(({ behavior, kinds, retryable, name }) => ({
    name,
    async run({ setBehavior, deliverAndFail, createMessage }: TestContext) {
      setBehavior(behavior)
      const error = await deliverAndFail(createMessage())
      assert.ok(kinds.includes(error.kind), `The kind is ${error.kind}, not ${kinds.join(' or ')}: ${error.detail}`)
      assert.equal(error.retryable, retryable, `The error's retryable flag is ${error.retryable}, not ${retryable}: ${error.detail}`)
    },
  })),
  {
    name: 'reports a timeout as ambiguous',
    async run({ setBehavior, deliverAndFail, createMessage }) {
      setBehavior('hang')
      const error = await deliverAndFail(createMessage(), 400)
      assert.deepEqual([error.kind, error.retryable], ['ambiguous', true])
    },
  },
  {
    name: 'throws only DeliveryError',
    async run({ setBehavior, sendDirectly, createMessage }) {
      for (const { behavior } of expectedErrors) {
        setBehavior(behavior)
        const error = await sendDirectly(createMessage(), new AbortController().signal).then(
          () => undefined,
          (thrown) => thrown,
        )
        assert.ok(error instanceof DeliveryError, `${behavior}: not a DeliveryError: ${error}`)
        assert.match(error.code, /^[A-Za-z0-9._:-]{1,64}$/)
      }
    },
  },
  {
    name: 'reveals no secret in errors or check results',
    async run({ setBehavior, deliverAndFail, check, createMessage, secrets }) {
      for (const behavior of ['reject', 'reject-credential'] as const) {
        setBehavior(behavior)
        const error = await deliverAndFail(createMessage())
        const output = JSON.stringify([error.toFailure(), error.providerResponse, error.stack, error.cause, await check()])
        for (const secret of secrets) assert.ok(!output.includes(secret), `${behavior}: the output contains a secret.`)
      }
    },
  },
  {
    name: 'sends nothing when the signal is already aborted',
    async run({ setBehavior, sendDirectly, createMessage, received }) {
      setBehavior('accept')
      await assert.rejects(sendDirectly(createMessage(), AbortSignal.abort()))
      assert.equal(received().length, 0)
    },
  },
  {
    name: 'stops when the signal aborts',
    async run({ setBehavior, sendDirectly, createMessage, received }) {
      setBehavior('hang')
      const controller = new AbortController()
      const sending = sendDirectly(createMessage(), controller.signal)
      sending.catch(() => {})
      const deadline = Date.now() + waitTimeoutMs
      while (received().length === 0 && Date.now() < deadline) await new Promise((resolve) => setTimeout(resolve, 5))
      assert.ok(received().length > 0, 'The provider sent no request.')
      controller.abort()
      const outcome = await Promise.race([
        sending.then(
          () => 'sent',
          () => 'stopped',
        ),
        new Promise((resolve) => setTimeout(resolve, 1000, 'timed out').unref()),
      ])
      assert.equal(outcome, 'stopped', 'The provider did not stop after the abort.')
    },
  },
]

import { describe, expect, it } from 'vitest'
import { builtInDescriptions } from '../channels/index.ts'
import type { MatchedFlow } from '../planning/plan-notification.ts'
import { simulatedFailuresOf } from './simulated-failures.ts'
import {
  rejectUnknownSimulations,
  simulateAttempt,
  simulatedChannelPrefix,
  simulatedDomain,
  simulatedRecipients,
} from './simulated-recipients.ts'

const smtp = { id: 'smtp', kind: 'email' } as const
const slack = { id: 'slack', kind: 'chat' } as const
const sent = { durationMs: 0 }
const addressOf = (kind: 'email' | 'chat', name: string) =>
  kind === 'email' ? `${name}@${simulatedDomain}` : `${simulatedChannelPrefix}${name}`

/** Returns the failure codes of the first attempts to deliver to a recipient. `null` stands for a sent message. */
const attemptsTo = (name: string, count: number, channel: typeof smtp | typeof slack = smtp) =>
  Array.from({ length: count }, (_, index) => simulateAttempt(channel, addressOf(channel.kind, name), index + 1).failure?.code ?? null)

describe.each(['email', 'chat'] as const)('a simulated recipient for %s', (kind) => {
  const channel = kind === 'email' ? smtp : slack
  const failures = simulatedFailuresOf(channel.id)
  const [bounce, outage, ambiguous] = [failures.bounce.code, failures.outage.code, failures.ambiguous.code]

  it('has the same outcome for every attempt, if its name is ok, complaint or bounce', () => {
    expect(attemptsTo('ok', 2, channel)).toEqual([null, null])
    expect(attemptsTo('complaint', 2, channel)).toEqual([null, null])
    expect(attemptsTo('bounce', 2, channel)).toEqual([bounce, bounce])
  })

  it('fails as often as its name says', () => {
    expect(attemptsTo('outage.1', 2, channel)).toEqual([outage, null])
    expect(attemptsTo('outage.3', 4, channel)).toEqual([outage, outage, outage, null])
    expect(attemptsTo('outage.100', 101, channel).filter((code) => code === null)).toHaveLength(1)
  })

  it('loses the response to the first attempt only', () => {
    expect(attemptsTo('ambiguous', 3, channel)).toEqual([ambiguous, null, null])
  })

  it('takes as long as its name says', () => {
    expect(simulateAttempt(channel, addressOf(kind, 'slow.1s'), 1)).toEqual({ durationMs: 1_000 })
    expect(simulateAttempt(channel, addressOf(kind, 'slow.600s'), 1)).toEqual({ durationMs: 600_000 })
  })
})

describe('an email address in the simulated domain', () => {
  it('may have a label, and letters of either case', () => {
    for (const target of ['bounce+a@flowpost.test', 'Bounce+a+b@FLOWPOST.test', 'bounce+@flowpost.test'])
      expect(simulateAttempt(smtp, target, 1).failure?.kind).toBe('target')
  })
})

it.each([
  ['ops@example.com', smtp],
  ['bounce@mail.flowpost.test', smtp],
  ['bounce@flowpost.test.example.com', smtp],
  ['C0TEST_bounce', smtp],
  ['bounce@flowpost.test', slack],
  ['C024BE91L', slack],
] as const)('sends a message to %s immediately, because it is not a simulated recipient of %o', (target, channel) => {
  expect(simulateAttempt(channel, target, 1)).toEqual(sent)
})

describe("a flow's target", () => {
  it.each(builtInDescriptions.map((description) => [description.id, description] as const))(
    'can be a simulated recipient: %s',
    (_, description) => {
      for (const { name } of simulatedRecipients) {
        const target = addressOf(description.kind, name)
        expect(description.parseTarget(target)).toEqual({ ok: true, target, key: target })
      }
    },
  )

  it.each(builtInDescriptions.filter(({ kind }) => kind === 'chat').map((description) => [description.id, description] as const))(
    'must not be a misspelled simulated channel: %s',
    (_, description) => {
      for (const name of ['', 'OK', 'okay', 'outage', 'outage.0', 'outage.101', 'slow.601s', 'bounce+a'])
        expect(description.parseTarget(addressOf('chat', name))).toMatchObject({ ok: false })
    },
  )

  it('causes an error that lists the simulated channels if it is misspelled', () => {
    const description = builtInDescriptions.find(({ id }) => id === 'slack')
    expect(description?.parseTarget('C0TEST_okay')).toMatchObject({ message: expect.stringContaining('C0TEST_ok, C0TEST_bounce,') })
  })
})

describe('a test notification', () => {
  const channelOf = (id: string) => builtInDescriptions.find((description) => description.id === id)
  const matched = (source_type: string, targets: string[]) =>
    ({ flow: { source_type }, targets }) as unknown as MatchedFlow<{ source_type: string }>

  it('is rejected with one error per misspelled recipient, each with a list of simulated recipients', () => {
    const flows = [
      matched('smtp', ['bounse@flowpost.test', 'ok@flowpost.test', 'outage.0@flowpost.test']),
      matched('smtp', ['bounse@flowpost.test']),
    ]
    const rejection = rejectUnknownSimulations(flows, channelOf)
    expect(rejection).toMatchObject({ code: 'validation_failed', detail: 'The request has 2 validation errors.' })
    expect(rejection?.errors).toEqual([
      {
        pointer: '/target',
        code: 'invalid_target',
        message:
          'bounse@flowpost.test is not a simulated recipient. Use one of ok@flowpost.test, bounce@flowpost.test, outage.3@flowpost.test, slow.20s@flowpost.test, ambiguous@flowpost.test, complaint@flowpost.test. The number after "outage." can be 1 to 100, and the number after "slow." 1 to 600.',
      },
      expect.objectContaining({ message: expect.stringContaining('outage.0@flowpost.test is not') }),
    ])
  })

  it('is not rejected if no recipient is misspelled', () => {
    const flows = [matched('smtp', ['ok+1@flowpost.test', 'ops@example.com']), matched('slack', ['C024BE91L', 'C0TEST_outage.7'])]
    expect(rejectUnknownSimulations(flows, channelOf)).toBeUndefined()
  })
})

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type SmtpSink, startSmtpSink } from '../support/smtp-sink.ts'
import { expectNoDifferences } from './compare-with-mock.ts'

/** Defines a test for each server deployment whose responses might differ from the mock's. */
export const describeDeployments = (options: { readonly runs: number; readonly seed: number }): void => {
  let smtp: SmtpSink
  beforeAll(async () => {
    smtp = await startSmtpSink()
  })
  afterAll(() => smtp[Symbol.asyncDispose]())

  const withSmtp = () => ({ FLOWPOST_SMTP_URL: smtp.url, FLOWPOST_EMAIL_FROM: 'noreply@example.com' })

  describe('the server and the mock return the same responses in a deployment that', () => {
    it('rejects messages without credentials', () => expectNoDifferences(options, { env: { FLOWPOST_CAPTURE: 'off' } }))

    it('captures messages although it has credentials', async () => {
      await expectNoDifferences(options, { env: { FLOWPOST_CAPTURE: 'on', ...withSmtp() }, mayDeliver: true })
      expect(smtp.received).toEqual([])
    })

    it('has credentials, without sending a message', async () => {
      await expectNoDifferences(options, { env: { FLOWPOST_CAPTURE: 'off', ...withSmtp() } })
      expect(smtp.received).toEqual([])
    })

    it('has credentials and may deliver to one receiver', async () => {
      const receiver = { source_type: 'smtp', target: 'me@example.com' }
      await expectNoDifferences(options, { env: { FLOWPOST_CAPTURE: 'off', ...withSmtp() }, mayDeliver: true, receiver })
      expect(new Set(smtp.received.flatMap(({ to }) => to))).toEqual(new Set(['me@example.com']))
    })
  })
}

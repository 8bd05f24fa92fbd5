import { describe, expect, it } from 'vitest'
import { message } from '../scenarios/context.ts'
import { mailAlone } from '../scenarios/mail.ts'
import { Notification, toMail } from './notification.ts'

it("sends the same mail as nodemailer alone and as Flowpost's flow", () => {
  expect(toMail({ ...message, target: mailAlone.to })).toEqual(mailAlone)
})

describe('the schema of a notification', () => {
  const valid = { ...message, target: 'operations@example.com' }

  it('accepts the body of the load generator and drops unknown fields', () => {
    expect(Notification.parse({ ...valid, project_id: 'none' })).toEqual(valid)
  })

  it.each([{ subject: 'two\nlines' }, { subject: '' }, { message: '' }, { target: 'nobody' }])('rejects %j', (wrong) => {
    expect(Notification.safeParse({ ...valid, ...wrong }).success).toBe(false)
  })
})

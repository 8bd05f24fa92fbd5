import type { Flowpost } from '@flowpost/client'

/** Tells the operations team that an invoice is ready. */
export const announceInvoice = (flowpost: Flowpost, number: number) =>
  flowpost.notifications.send({ project: 'billing', flow: 'ops-mail', subject: `Invoice ${number}`, message: 'It is ready.' })

/** Warns a customer's Slack channel that an invoice has not been paid. */
export const warnCustomer = (flowpost: Flowpost, number: number, channel: string) =>
  flowpost.notifications.send({
    project: 'billing',
    flow: 'alerts',
    target: channel,
    subject: `Invoice ${number}`,
    message: 'It is not paid.',
  })

import { Resend } from 'resend'

export const createCall = (baseUrl) => {
  const resend = new Resend('re_bench', { baseUrl })
  return async () => {
    const { data, error } = await resend.emails.send({
      from: 'billing@example.com',
      to: 'ada@example.com',
      subject: 'Invoice 42',
      text: 'Your invoice is ready.',
    })
    if (error) throw new Error(error.message)
    return data.id
  }
}

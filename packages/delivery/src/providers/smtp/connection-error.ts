/** What went wrong, and how far the exchange had come. */
export class SmtpConnectionError extends Error {
  override readonly name = 'SmtpConnectionError'
  readonly step: SmtpStep
  /** True once the server may have seen the end of the message. */
  readonly transferred: boolean
  /** nodemailer's code, as in `EAUTH`, or ours. */
  readonly code: string
  /** The code of the operating system or of DNS, as in `ECONNREFUSED`. */
  readonly systemCode: string | undefined
  readonly command: string | undefined
  /** The server's reply that decided it. */
  readonly response: string | undefined

  constructor(step: SmtpStep, transferred: boolean, cause: NodemailerFault) {
    super(cause.message)
    this.step = step
    this.transferred = transferred
    this.code = cause.code ?? 'ESOCKET'
    this.systemCode = cause.originalCode ?? undefined
    this.command = cause.command
    this.response = cause.response
  }
}

/** Where in the exchange it happened. */
export type SmtpStep = 'connect' | 'authenticate' | 'send'

/** An error as nodemailer makes it. */
export type NodemailerFault = Error & { code?: string; originalCode?: string; command?: string; response?: string }

import { once } from 'node:events'
import { Worker } from 'node:worker_threads'

/** An SMTP server in its own thread, so that it responds in time while the thread that sends the load is busy. */
export interface SmtpThread extends AsyncDisposable {
  readonly url: string
}

/**
 * Starts the server.
 * @param receive is called with the text of each message.
 */
export const startSmtpThread = async (receive: (raw: string) => void): Promise<SmtpThread> => {
  const worker = new Worker(new URL('./smtp-thread.worker.ts', import.meta.url))
  const [url] = (await once(worker, 'message')) as [string]
  worker.on('message', receive)
  return { url, [Symbol.asyncDispose]: async () => void (await worker.terminate()) }
}

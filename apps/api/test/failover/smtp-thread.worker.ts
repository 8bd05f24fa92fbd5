import { parentPort } from 'node:worker_threads'
import { startSmtpSink } from '../support/smtp-sink.ts'

const { url } = await startSmtpSink({
  record: false,
  reply: (_, { raw }) => {
    parentPort?.postMessage(raw)
    return 'accept'
  },
})
parentPort?.postMessage(url)

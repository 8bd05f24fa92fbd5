import { setTimeout as sleep } from 'node:timers/promises'
import { createFlowpost } from '@flowpost/client'

const flowpost = createFlowpost()
let erasure = await flowpost.erasures.create({ target: 'former.customer@example.com', block: true })
while (erasure.status === 'running') {
  await sleep(1_000)
  erasure = await flowpost.erasures.get(erasure.id)
}
console.log(`${erasure.deliveries} deliveries erased, proof: ${erasure.id} ${erasure.target} ${erasure.done_at}`)

import { Router } from 'express'
import { servePage } from './page.ts'

/** Liveness and readiness, for orchestrators: no credential, no detail. */
export const createProbes = (deps: { isReady: () => Promise<boolean> }): Router => {
  const router = Router()
  servePage(router, '/livez', (_request, response) => {
    response.type('text/plain').send('ok\n')
  })
  servePage(router, '/readyz', async (_request, response) => {
    const ready = await deps.isReady()
    response
      .status(ready ? 200 : 503)
      .type('text/plain')
      .send(ready ? 'ready\n' : 'not ready\n')
  })
  return router
}

import { api } from '@flowpost/contract'
import { initServer } from '@ts-rest/express'
import { ApiError } from '../../shared/api-error.ts'

const reject = async (): Promise<never> => {
  throw new ApiError('unavailable', 'This version of the server has no events yet.')
}

/** Creates the routes of event endpoints. They reject every request. */
export const createEventEndpointRoutes = () =>
  initServer().router(api.eventEndpoints, {
    create: reject,
    list: reject,
    get: reject,
    update: reject,
    delete: reject,
    rotateSecret: reject,
    test: reject,
    attempts: reject,
    replay: reject,
  })

/** Creates the route of the event feed. It rejects every request. */
export const createEventRoutes = () => initServer().router(api.events, { list: reject })

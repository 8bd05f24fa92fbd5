import { problemMediaType, problems } from '@flowpost/contract'
import { toProblem } from '@flowpost/contract/rules'
import { TsRestResponseError } from '@ts-rest/core'
import type { ErrorRequestHandler, Response } from 'express'
import type { Logger } from 'pino'
import { isDatabaseUnavailable } from '../database/failures.ts'
import { docsUrl } from '../log-help/log-help.ts'
import { ApiError, notFound, unavailable } from '../shared/api-error.ts'
import { contextOf } from './request-context.ts'

/** Sends an error as a problem response (RFC 9457). */
const sendProblem = (response: Response, error: ApiError): void => {
  const body = toProblem(error, contextOf(response).requestId)
  response.status(error.status).set(error.headers).type(problemMediaType).send(JSON.stringify(body))
}

/** Converts a thrown error to an `ApiError`, which can be sent as a problem response. */
export const toApiError = (error: unknown): ApiError => {
  if (error instanceof ApiError) return error
  // A malformed path does not identify a resource.
  if (error instanceof URIError) return notFound()
  if (isDatabaseUnavailable(error))
    return unavailable(`The database cannot be reached. ${problems.unavailable.advice}`, { retryAfterSeconds: 1, cause: error })
  return new ApiError('internal', 'An unexpected error occurred. Find it in the server log by the request id.', { cause: error })
}

/** Logs an error if the server caused it. */
export const logServerError = (log: Logger, error: unknown, problem: ApiError): void => {
  if (problem.code === 'internal') {
    // If a response violates the contract, only the error message is logged, never the content of the response.
    if (error instanceof TsRestResponseError) log.error({ err: { message: error.message } }, 'request failed')
    else log.error({ err: error }, 'request failed')
  } else if (problem.status >= 500) log.warn({ err: problem.cause, help: `${docsUrl}/problems/${problem.code}` }, problem.message)
}

/** The last Express handler. Sends an error as a problem response, and logs the error if the server caused it. */
export const problemHandler: ErrorRequestHandler = (error, _request, response, next) => {
  const problem = toApiError(error)
  logServerError(contextOf(response).log, error, problem)
  // If the response has started, Express closes the connection, so the client sees that the response is incomplete.
  if (response.headersSent) return next(error)
  sendProblem(response, problem)
}

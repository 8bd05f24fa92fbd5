import { problemMediaType, problems } from '@flowpost/contract'
import { malformedHeader, toFieldErrors, toProblem } from '@flowpost/contract/rules'
import { TsRestResponseError } from '@ts-rest/core'
import { RequestValidationError } from '@ts-rest/express'
import type { ErrorRequestHandler, Response } from 'express'
import type { Logger } from 'pino'
import { isDatabaseUnavailable } from '../database/failures.ts'
import { docsUrl } from '../log-help/log-help.ts'
import { ApiError, notFound, validationFailed } from '../shared/api-error.ts'
import { contextOf } from './request-context.ts'

/** Sends a problem as the response. */
const sendProblem = (response: Response, error: ApiError): void => {
  const body = toProblem(error, contextOf(response).requestId)
  response.status(error.status).set(error.headers).type(problemMediaType).send(JSON.stringify(body))
}

const fromValidation = (error: RequestValidationError, request: { headers: unknown; query: unknown; body: unknown }): ApiError => {
  const headers = toFieldErrors('header', error.headers, request.headers)
  if (headers.length > 0) return malformedHeader(headers)
  return validationFailed([...toFieldErrors('query', error.query, request.query), ...toFieldErrors('body', error.body, request.body)])
}

/** Converts a thrown error to the problem to return. */
export const toApiError = (error: unknown): ApiError => {
  if (error instanceof ApiError) return error
  // A malformed path does not identify a resource.
  if (error instanceof URIError) return notFound()
  if (isDatabaseUnavailable(error))
    return new ApiError('unavailable', `The database cannot be reached. ${problems.unavailable.advice}`, {
      headers: { 'Retry-After': '1' },
      cause: error,
    })
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

/** The last handler. It logs server errors and sends a problem. */
export const problemHandler: ErrorRequestHandler = (error, request, response, next) => {
  const problem = error instanceof RequestValidationError ? fromValidation(error, request) : toApiError(error)
  logServerError(contextOf(response).log, error, problem)
  // If the response has started, Express closes the connection, so the client sees that the response is incomplete.
  if (response.headersSent) return next(error)
  sendProblem(response, problem)
}

import type { Response } from 'express'

const disconnected = 499

/**
 * Returns the status of a closed response for logs, metrics and traces. The status is 499 if the client disconnected before
 * the response ended.
 */
export const statusOfClosed = (response: Response): number => (response.writableFinished ? response.statusCode : disconnected)

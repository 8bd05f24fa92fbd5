export { ApiError, inBody, notFound, refused, validationFailed } from '@flowpost/contract/server'

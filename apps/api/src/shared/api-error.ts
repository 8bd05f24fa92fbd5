export { ApiError, notFound, rejected, toBodyErrors, validationFailed } from '@flowpost/contract/rules'

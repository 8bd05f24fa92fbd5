// What whoever answers requests of the contract needs, beside its schemas: the server, and the mock.
export { bearerToken, invalidToken, requireAccess, unauthenticated } from './access.ts'
export { ApiError, type ApiErrorOptions, type BodyFault, inBody, notFound, refused, validationFailed } from './api-error.ts'
export { apiKeyFaults, type KeyMaker, orderedScopes } from './api-key-faults.ts'
export { fieldErrors, fieldErrorsWithin, firstOfEach, pointerOf } from './field-errors.ts'
export { type KeyRevoker, type RevocableKey, requireRevocable } from './key-revocation.ts'
export { type IntegrationRules, type MergedIntegration, mergeIntegration, type StoredIntegration } from './merge-integration.ts'
export { operationPath } from './operation-path.ts'
export { textFaults } from './text-faults.ts'

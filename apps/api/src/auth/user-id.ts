import { z } from 'zod'
import { isOidcUser } from './principal.ts'

/** The schema of a user id. */
export const userId = z
  .string()
  .min(1, 'must not be empty')
  .max(255, 'must have at most 255 characters')
  .regex(/^\P{Cc}*$/u, 'must not contain control characters')

/**
 * The schema of a user id for which the operator may create keys. Users of an OIDC issuer get their tokens from the issuer. A
 * key that the operator creates must not impersonate them.
 */
export const keyOwner = userId
  .refine((value) => value === value.trim(), 'must not start or end with a space')
  .refine((value) => !isOidcUser(value), 'must not start with "oidc:", which is reserved for users of the OIDC issuer')

import { readExpectedSettings, settingsChangedHeaders, settingsDigestHeader } from '@flowpost/contract/rules'
import type { AppRoute } from '@ts-rest/core'
import type { Request, RequestHandler } from 'express'
import type { Principal } from '../../auth/principal.ts'
import { principalOf } from '../../http/request-context.ts'

/** The dependencies of {@link reportSettingsChange}. */
export interface SettingsChangeDeps {
  /**
   * Returns the settings digest of the project with the given key, or `undefined` if the principal has no such project.
   */
  readonly findSettingsDigest: (principal: Principal, projectKey: string) => Promise<string | undefined>
}

const acceptsDigest = (request: Request): boolean => {
  const { tsRestRoute: route } = request as Request & { tsRestRoute: AppRoute }
  return Object.hasOwn((route.headers ?? {}) as object, settingsDigestHeader)
}

/**
 * Creates the handler that sets a response header if the digest of a project's settings differs from the digest in the
 * request. Does nothing if the request has no digest or does not name its project by key. It runs before the body is
 * validated, so that the response to a rejected request has the header too.
 */
export const reportSettingsChange =
  ({ findSettingsDigest }: SettingsChangeDeps): RequestHandler =>
  async (request, response, next) => {
    const header = request.get(settingsDigestHeader)
    if (header === undefined || !acceptsDigest(request)) return next()
    const expected = readExpectedSettings(header, request.body)
    const current = expected && (await findSettingsDigest(principalOf(response), expected.projectKey))
    if (current !== undefined && current !== expected?.digest) response.set(settingsChangedHeaders)
    next()
  }

import { bodyTooLarge } from '@flowpost/contract/rules'
import type { Provider, Registry, Report } from '@flowpost/delivery'
import { type Request, type RequestHandler, Router } from 'express'
import type { FailedAuthentication } from '../../auth/failed-authentication.ts'
import { clientAddress } from '../../http/client-address.ts'
import { readBytes } from '../../http/json-body.ts'
import { rejectOtherMethods } from '../../http/pages/serve-page.ts'
import { contextOf } from '../../http/request-context.ts'
import { ApiError, notFound } from '../../shared/api-error.ts'
import { findInboundSource, type InboundSource, type InboundSourceDeps } from './inbound-source.ts'
import { logReceipt } from './log-receipt.ts'
import { type RecordReportDeps, recordReport } from './record-report.ts'

/** The dependencies of {@link createInboundRouter}. */
export interface InboundRouterDeps extends RecordReportDeps, Omit<InboundSourceDeps, 'database'> {
  readonly registry: Registry
  readonly failures: FailedAuthentication
  readonly bodyLimitBytes: number
}

type InboundRequest = Request<{ source_type: string; token: string }>

const requireMediaType = (request: InboundRequest, { reportType }: Provider): void => {
  const { 'content-type': given = '', 'content-encoding': encoding = 'identity' } = request.headers
  const [mediaType = ''] = given.split(';', 1)
  if (mediaType.trim().toLowerCase() === reportType && encoding.toLowerCase() === 'identity') return
  throw new ApiError('unsupported_media_type', `Send the report as ${reportType}, without a content encoding.`)
}

const readBody = async (request: InboundRequest, limitBytes: number): Promise<Uint8Array> => {
  const bytes = await readBytes(request, limitBytes)
  if (!bytes) throw bodyTooLarge(limitBytes)
  return bytes
}

/**
 * Creates the router for the addresses to which providers and mail servers post reports. These routes are not part of
 * the contract, because API users do not call them, and the providers define the bodies and statuses.
 *
 * Requests authenticate with the token in the path. An unknown token, another provider's token and a wrong signature all
 * result in the same 404 response. Mailgun repeats a report for up to 8 hours, until the status is 200 or 406. It does not
 * repeat reports of the event `delivered`. Bounces and complaints with a 404 response are therefore not lost if a wrong
 * signing key is corrected within 8 hours. A report that would be rejected every time results in 406 (`report_rejected`),
 * so Mailgun does not repeat it.
 */
export const createInboundRouter = (deps: InboundRouterDeps): Router => {
  const { registry, failures, clock, bodyLimitBytes } = deps

  /**
   * Finds the credential to which a request's token belongs. If there is none, counts a failed authentication.
   * @throws ApiError `not_found` or `rate_limited`.
   */
  const authenticate = async (request: InboundRequest, provider: Provider | undefined, address: string): Promise<InboundSource> => {
    const { source_type, token } = request.params
    await failures.admit(address, token)
    const source = provider?.readReport && (await findInboundSource(deps, source_type, token))
    if (source) return source
    await failures.failed(address, token)
    throw notFound()
  }

  const read = async (request: InboundRequest, provider: Provider, source: InboundSource): Promise<Report | undefined> => {
    requireMediaType(request, provider)
    const body = await readBody(request, bodyLimitBytes)
    const { recipient } = request.query
    const { settings, secrets } = source.open()
    const reportClock = { now: () => clock.now().getTime(), setTimer: () => () => {} }
    const context = { body, settings, secrets, clock: reportClock, recipient: typeof recipient === 'string' ? recipient : undefined }
    return provider.readReport?.(context)
  }

  const receive: RequestHandler<{ source_type: string; token: string }> = async (request, response) => {
    const provider = registry.get(request.params.source_type)
    const address = clientAddress(request.ip)
    const source = await authenticate(request, provider, address)
    const report = provider && (await read(request, provider, source))
    if (!report || report.status === 'unauthenticated') {
      await failures.failed(address, request.params.token)
      throw notFound()
    }
    failures.succeeded(request.params.token)
    if (report.status === 'rejected') throw new ApiError('report_rejected', report.detail)
    const recorded = report.status === 'ignored' ? ({ result: 'ignored' } as const) : await recordReport(deps, source, report)
    if (recorded.result === 'recorded') logReceipt(contextOf(response).log, recorded.delivery, recorded.receipt, 'inbound')
    response.status(200).json({ result: recorded.result })
  }

  const path = '/v1/inbound/:source_type/:token'
  return Router().post(path, receive).all(path, rejectOtherMethods('POST'))
}

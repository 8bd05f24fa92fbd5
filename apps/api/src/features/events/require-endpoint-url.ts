import { ApiError } from '../../shared/api-error.ts'

/**
 * Returns an endpoint's URL.
 * @throws ApiError `event_endpoint_without_url`.
 */
export const requireEndpointUrl = ({ url }: { readonly url: string | null }): string => {
  if (url !== null) return url
  throw new ApiError('event_endpoint_without_url', 'The endpoint has no URL, so nothing can be sent to it. Set its url first.')
}

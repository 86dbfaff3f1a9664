import { LIMITS } from './limits.ts'
import { sizeInWords } from './text.ts'

/** A cause of a failure, and its cure. */
export interface Reason {
  cause: string
  cure: string
}

/** The causes of a failed download, as `details.reason` of `image_download_failed` names them. */
export const DOWNLOAD_FAILURES = {
  dns: {
    cause: 'The host name has no address, or the name server did not answer.',
    cure: 'Check the spelling of the host name, and that the machine running this service can resolve it.',
  },
  connect: {
    cause: 'The connection failed or broke off, or the server does not speak HTTP.',
    cure: 'Check the host and the port, and that no firewall blocks this service.',
  },
  timeout: {
    cause: `Connecting took more than ${LIMITS.fetchConnectMs / 1000} seconds, or the whole download took more than ${LIMITS.fetchTotalMs / 1000} seconds.`,
    cure: 'Try again later, provide a smaller picture, or upload the picture as a file.',
  },
  tls: {
    cause:
      'The certificate has expired, names another host, or comes from an issuer this service does not trust.',
    cure: 'Renew the certificate, and make sure that the server sends its intermediate certificates too.',
  },
  http_status: {
    cause: 'The server answered with an error; `details.upstream_status` is its status.',
    cure: 'Open the URL without signing in: it must answer 200. For 401 or 403, turn off the hotlink protection; for 429 or 5xx, try again later.',
  },
  too_many_redirects: {
    cause: `The URL redirects more than ${LIMITS.fetchRedirectsMax} times.`,
    cure: 'Send the URL at the end of the redirects.',
  },
  blocked_address: {
    cause:
      'The host, or a redirect, leads to a private or reserved network address or to the machine running this service, or this install works offline.',
    cure: 'Use a public URL, upload the picture as a file, or ask the operator to add the network to `FETCH_ALLOW_CIDRS`.',
  },
  too_large: {
    cause: `The picture is larger than ${sizeInWords(LIMITS.pictureBytesMax)}, or arrives in too many small pieces.`,
    cure: 'Provide a smaller version; 1000 pixels are enough for search.',
  },
  not_an_image: {
    cause: 'The answer is not a JPEG, PNG, WebP, AVIF or GIF; often it is a web page that shows the picture.',
    cure: 'Send the URL of the picture itself, and make sure that the server answers without compression.',
  },
} as const satisfies Record<string, Reason>

const { not_an_image: _, ...ofAnyDownload } = DOWNLOAD_FAILURES

/** The causes of a failed check of a page, as `details.reason` of `page_fetch_failed` names them. */
export const PAGE_FAILURES = {
  ...ofAnyDownload,
  timeout: {
    cause: `Connecting took more than ${LIMITS.fetchConnectMs / 1000} seconds, or the whole check took more than ${LIMITS.pageTotalMs / 1000} seconds.`,
    cure: 'Try again later.',
  },
  http_status: {
    cause: 'The server answered with an error; `details.upstream_status` is its status.',
    cure: 'Open the URL in a private window: it must answer 200 to a stranger who has no cookies and runs no scripts.',
  },
  blocked_address: {
    cause: DOWNLOAD_FAILURES.blocked_address.cause,
    cure: 'Use a public URL, or ask the operator to add the network to `FETCH_ALLOW_CIDRS`.',
  },
  too_large: {
    cause: `The page is larger than ${sizeInWords(LIMITS.pageBytesMax)}, or arrives in too many small pieces.`,
    cure: 'Check a smaller page of the shop: the snippet is the same on all of them.',
  },
  not_a_page: {
    cause: 'The answer is no HTML, or it is compressed although the request did not allow it.',
    cure: 'Send the URL of a page that shoppers open.',
  },
} as const satisfies Record<string, Reason>

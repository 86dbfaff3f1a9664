import type { ErrorCode } from './errors.ts'

/** A remedy that the operator of an install has for an error. */
export interface Cure {
  /** When it helps, without a full stop. */
  when: string
  /** A setting as a line of the environment, or a command line. */
  line: string
}

const REACH_PICTURES: Cure = {
  when: 'To let pictures, feeds and pages come from a private network or from other ports, allow the network',
  line: 'FETCH_ALLOW_CIDRS=10.0.0.0/8',
}
const GO_ONLINE: Cure = {
  when: 'To let an install that works offline reach other servers again',
  line: 'OFFLINE=0',
}
const RAISE_PLAN: Cure = {
  when: 'To give the store a larger plan',
  line: 'lookalike store set-plan SLUG enterprise',
}
const RUN_DOCTOR: Cure = { when: 'To find out what is wrong with the install', line: 'lookalike doctor' }

/** The settings and commands that cure an error. The page of the error shows each as a line to copy. */
export const CURES: Partial<Record<ErrorCode, readonly Cure[]>> = {
  url_not_allowed: [
    REACH_PICTURES,
    {
      when: 'To send webhooks and callbacks to a private network, with `http:` and any port too',
      line: 'WEBHOOK_ALLOW_CIDRS=10.0.0.0/8',
    },
  ],
  image_download_failed: [REACH_PICTURES, GO_ONLINE],
  page_fetch_failed: [REACH_PICTURES, GO_ONLINE],
  unauthorized: [
    { when: 'If the client secret is lost', line: 'lookalike store new-secret SLUG' },
    { when: 'If a password is lost and no mail is sent', line: 'lookalike user reset-password EMAIL' },
  ],
  token_expired: [{ when: 'To let new tokens last for a day', line: 'TOKEN_LIFETIME_S=86400' }],
  requires_2fa: [
    { when: 'If the authenticator and the recovery codes are lost', line: 'lookalike user reset-2fa EMAIL' },
  ],
  invalid_2fa: [
    { when: 'If the authenticator and the recovery codes are lost', line: 'lookalike user reset-2fa EMAIL' },
  ],
  account_not_verified: [
    { when: 'To read the mails that could not be sent, with their links', line: 'lookalike outbox' },
    { when: 'To confirm the address without a mail', line: 'lookalike user verify EMAIL' },
  ],
  permission_denied: [{ when: 'To let everyone register', line: 'REGISTRATION=open' }],
  ip_not_allowed: [
    {
      when: 'If everyone is locked out of the store',
      line: 'lookalike store clear-ip-whitelist SLUG',
    },
    {
      when: 'If every address is that of a proxy in front of the service',
      line: 'TRUSTED_PROXIES=127.0.0.1/32',
    },
  ],
  product_limit_exceeded: [RAISE_PLAN],
  storage_limit_exceeded: [RAISE_PLAN],
  rate_limit_exceeded: [
    RAISE_PLAN,
    {
      when: 'If clients behind a proxy share one budget, because the service sees only the address of the proxy',
      line: 'TRUSTED_PROXIES=127.0.0.1/32',
    },
  ],
  too_many_requests: [{ when: 'To let the person try again at once', line: 'lookalike user unlock EMAIL' }],
  model_not_ready: [RUN_DOCTOR],
  storage_full: [RUN_DOCTOR],
  storage_failed: [RUN_DOCTOR],
  read_only: [RUN_DOCTOR],
  internal_error: [RUN_DOCTOR],
}

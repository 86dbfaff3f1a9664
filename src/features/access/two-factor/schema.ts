import { Type } from '@sinclair/typebox'
import { t } from 'elysia'
import { named } from '../../../http/openapi/named.ts'
import { MomentOrNull } from '../../../http/paging.ts'
import { text } from '../../../http/text-schema.ts'
import { CODE_CHARS_MAX, TOTP_PATTERN, TOTP_WORDS } from '../reauthentication/schema.ts'

/** Contract 5.2. */
export const TwoFactorSetup = named(
  'TwoFactorSetup',
  t.Object({
    secret: t.String({ description: 'Base32, 160 bits, for typing in. It is shown only once.' }),
    qr_code_url: t.String({ description: 'The secret as a QR code: an SVG in a `data:` URL.' }),
    otpauth_url: t.String({ description: 'The content of the QR code.' }),
    issuer: t.String(),
    account: t.String({ description: 'E-mail address of the person.' }),
  }),
)
export type TwoFactorSetup = typeof TwoFactorSetup.static

export const TwoFactorProof = named(
  'TwoFactorProof',
  t.Object({
    totp_code: text({ pattern: TOTP_PATTERN, maxLength: CODE_CHARS_MAX, description: TOTP_WORDS }),
  }),
  { totp_code: '123456' },
)
export type TwoFactorProof = typeof TwoFactorProof.static

const recovery_codes = t.Array(t.String(), {
  description:
    'Ten codes `xxxxx-xxxxx`, each for one sign-in without the authenticator. They are shown only once.',
})

export const RecoveryCodes = named('RecoveryCodes', t.Object({ recovery_codes }))
export type RecoveryCodes = typeof RecoveryCodes.static

export const TwoFactorEnabled = t.Object({
  enabled: t.Literal(true),
  recovery_codes,
  sessions_ended: Type.Integer({ description: 'Other sign-ins that ended.' }),
})
export type TwoFactorEnabled = typeof TwoFactorEnabled.static

export const TwoFactorDisabled = t.Object({ enabled: t.Literal(false) })
export type TwoFactorDisabled = typeof TwoFactorDisabled.static

export const TwoFactorStatus = named(
  'TwoFactorStatus',
  t.Object({
    enabled: t.Boolean(),
    enabled_at: MomentOrNull,
    recovery_codes_left: Type.Integer({ description: 'Unused recovery codes.' }),
  }),
)
export type TwoFactorStatus = typeof TwoFactorStatus.static

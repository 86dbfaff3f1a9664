import { givenText } from './text.ts'

/** The second factor of a person as a request shows it: one of the two codes. */
export interface SecondFactor {
  totp_code?: string | undefined
  recovery_code?: string | undefined
}

/** The same as a form sends it: a field that was left empty counts as absent. */
export interface ShownCodes {
  totp_code?: string | null | undefined
  recovery_code?: string | null | undefined
}

/** A code without the spaces that authenticators show and people type: `123 456`. */
export const withoutSpaces = (code: string): string => code.replace(/\s/g, '')

/** Reads codes as people and forms send them. */
export function readCodes(shown: ShownCodes): SecondFactor {
  const [totp_code, recovery_code] = [givenText(shown.totp_code), givenText(shown.recovery_code)]
  return {
    ...(totp_code !== undefined && { totp_code: withoutSpaces(totp_code) }),
    ...(recovery_code !== undefined && { recovery_code }),
  }
}

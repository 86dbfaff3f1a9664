import type { MailBody } from '../../../platform/mail/mailer.ts'
import type { SecretBox } from '../../../platform/secret-box.ts'
import type { OutboxRow } from './queries.ts'

export type MailTexts = ReturnType<typeof createMailTexts>

/** Seals what waiting mails say, because many hold links that open an account. */
export const createMailTexts = (box: Pick<SecretBox, 'seal' | 'open'>) => ({
  /** Seals a plain text as it is, and what has more parts as JSON. */
  seal(id: string, { text, html, unsubscribeUrl }: MailBody): Pick<OutboxRow, 'sealedText' | 'hasParts'> {
    const hasParts = html !== undefined || unsubscribeUrl !== undefined
    const plain = hasParts ? JSON.stringify({ text, html, unsubscribeUrl }) : text
    return { sealedText: box.seal(plain, buildContext(id)), hasParts: hasParts ? 1 : 0 }
  },
  /** @returns undefined if the mail was sealed with another key. */
  open({
    id,
    sealedText,
    hasParts,
  }: Pick<OutboxRow, 'id' | 'sealedText' | 'hasParts'>): MailBody | undefined {
    const plain = box.open(sealedText, buildContext(id))
    if (plain === undefined) return undefined
    return hasParts ? (JSON.parse(plain) as MailBody) : { text: plain }
  },
})

/** Binds a sealed text to its row: it opens nowhere else. */
const buildContext = (id: string): string => `outbox:${id}`

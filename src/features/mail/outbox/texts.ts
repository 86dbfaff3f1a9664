import type { SecretBox } from '../../../platform/secret-box.ts'
import type { OutboxRow } from './queries.ts'

export type MailTexts = ReturnType<typeof createMailTexts>

/** Seals the texts of waiting mails, because many hold links that open an account. */
export const createMailTexts = (box: Pick<SecretBox, 'seal' | 'open'>) => ({
  seal: (id: string, text: string): Buffer => box.seal(text, buildContext(id)),
  /** @returns undefined if the text was sealed with another key. */
  open: ({ id, sealedText }: Pick<OutboxRow, 'id' | 'sealedText'>): string | undefined =>
    box.open(sealedText, buildContext(id)),
})

/** Binds a sealed text to its row: it opens nowhere else. */
const buildContext = (id: string): string => `outbox:${id}`
